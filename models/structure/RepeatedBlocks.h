#pragma once

#include "models/structure/TensorUnits.h"

#include <cstddef>
#include <string>
#include <vector>

namespace softscope {

/// Units of the same names and shapes but for one number in their names: the blocks of a network.
struct RepeatedBlocks {
  /// The name up to the number: `encoder.layers.`, or `encoder.layer_`.
  std::string prefix;
  /// Paths of the blocks, in the order of their numbers: `encoder.layers.0`.
  std::vector<std::string> paths;
  /// Indices of each block's units among all units, in the same order in every block.
  std::vector<std::vector<std::size_t>> units;

  std::size_t width() const { return units.front().size(); }
};

/// Returns the stacks of blocks among the units, those with the most units in a block first. Stacks
/// of a single block come last. Takes time linear in the letters of all names.
std::vector<RepeatedBlocks> repeatedBlocks(const std::vector<TensorUnit>& units);

/// Returns the name of a unit within its block: `.attn.qkv`.
std::string nameInBlock(const TensorUnit& unit, const std::string& block);

}  // namespace softscope
