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

/// The parts that the matrices of a block play.
struct LinearRoles {
  AttentionStructure attention;
  std::optional<TensorUnit> expand;
  std::optional<TensorUnit> contract;
  /// True if the mlp's matrices stand before the attention's in the file, or in a list of modules.
  bool isMlpInFront = false;
};

/// The facts about a block that hold before its matrices are told apart.
struct BlockContext {
  std::string block;  ///< its path, for messages
  std::int64_t channels = 0;
  bool isTransposed = false;
  bool isOrdered = true;
};

/// Tells the matrices of a block apart: those that make queries, keys and values, the output's, and
/// the two of the mlp. Shapes decide where they can; then paths, because the parts of one module
/// share it; then the order of the file. Throws ModelError if more than one reading remains, or
/// none.
LinearRoles assignLinears(const std::vector<TensorUnit>& linears, const BlockContext& context);

}  // namespace softscope
