#pragma once

#include "models/structure/BlockStructure.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

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
