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
  /// Their numbers.
  std::vector<int> numbers;
  /// Paths of members of the list before the last block that have no units at all, but for the
  /// first where the numbers begin at 1: of many, the first ones.
  std::vector<std::string> absent;
  /// Indices of each block's units among all units, in the order of the first one's.
  std::vector<std::vector<std::size_t>> units;
  /// False if the file has the units of one block in another order than those of another, so that
  /// their order tells nothing.
  bool haveOneOrder = true;

  std::size_t width() const { return units.front().size(); }
  /// Returns true if the numbers go up in equal steps.
  bool isRegular() const;
};

/// Returns the stacks of blocks among the units, those with the most units in a block first. Stacks
/// of a single block come last. Takes time linear in the letters of all names.
std::vector<RepeatedBlocks> repeatedBlocks(const std::vector<TensorUnit>& units);

/// Takes out of the units what the file has a second time, and returns it: a stack like the first
/// of `stacks` with the same numbers under another path, as a module with two names leaves it, and
/// the layer that nn.TransformerEncoder copied its layers from, which is not run.
std::vector<TensorUnit> takeCopies(const StateDict& state,
                                   const std::vector<RepeatedBlocks>& stacks,
                                   std::vector<TensorUnit>& units);

/// Returns the name of a unit within its block: `.attn.qkv`.
std::string nameInBlock(const TensorUnit& unit, const std::string& block);

}  // namespace softscope
