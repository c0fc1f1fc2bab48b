#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/PickledModule.h"

#include <map>
#include <string>

namespace softscope {

/// One copy of the weights among those a file holds.
struct SelectedWeights {
  /// Values that are no tensors are still among them.
  NamedValues entries;
  /// As in Checkpoint.
  std::string weights;
  std::string weightsKey;
};

/// Finds the copy that `choice` asks for. Throws Malformed where there is none, saying what there
/// is instead.
SelectedWeights selectWeights(const PickleValue& root, WeightsChoice choice, WorkBudget& work);

/// The plain strings, numbers and truth values at the top of a pickle, and those of its `args`.
std::map<std::string, std::string> collectMetadata(const PickleValue& root, WorkBudget& work);

}  // namespace softscope
