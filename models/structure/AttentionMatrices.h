#pragma once

#include "models/structure/BlockStructure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The attention of a block that has matrices for each head.
struct HeadLists {
  /// Layout, projections, width and number of heads.
  AttentionStructure attention;
  /// Names of all matrices in the lists.
  std::vector<std::string> names;
  /// The block's other matrices.
  std::vector<TensorUnit> rest;
};

/// Finds three lists of equally many equally shaped matrices, numbered from head to head: [d, C]
/// each, or [d, d] for d of the channels. Returns nothing if there are none, or if letters do not
/// tell which list is for what.
std::optional<HeadLists> findHeadLists(const std::vector<TensorUnit>& linears,
                                       std::int64_t channels, bool isTransposed);

/// Reads matrices that are all of one attention, in each layout but those with matrices for each
/// head. `isTransposed` says that they are stored as [inputs, outputs], and `isOrdered` that the
/// order of the file tells something. Returns nothing if their shapes and names fit no attention of
/// `channels` wide tokens.
std::optional<AttentionStructure> readAttention(const std::vector<TensorUnit>& matrices,
                                                std::int64_t channels, bool isTransposed,
                                                bool isOrdered);

}  // namespace softscope
