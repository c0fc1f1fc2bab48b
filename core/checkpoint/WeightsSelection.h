#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/PickledModule.h"

#include <map>
#include <string>

namespace softscope {

/// One copy of the weights from a file that may hold several.
struct SelectedWeights {
  /// The entries, including values that are not tensors.
  NamedValues entries;
  /// The copy and its key, as in Checkpoint::weights.
  std::string weights;
  std::string weightsKey;
};

/// Finds the copy of the weights that `choice` asks for. If the file does not contain that copy,
/// throws a Malformed that lists the copies that it contains.
SelectedWeights selectWeights(const PickleValue& root, WeightsChoice choice, WorkBudget& work);

/// Returns the plain strings, numbers and booleans at the top of a pickle, and those of its `args`.
std::map<std::string, std::string> collectMetadata(const PickleValue& root, WorkBudget& work);

}  // namespace softscope
