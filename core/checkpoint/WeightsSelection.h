#pragma once

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/NamePrefix.h"
#include "core/checkpoint/PickledModule.h"

#include <string>
#include <vector>

namespace softscope {

/// One copy of the weights from a file that may hold several.
struct SelectedWeights {
  /// The entries, including values that are not tensors.
  NamedValues entries;
  /// The copy and its key, as in Checkpoint::weights.
  std::string weights;
  std::string weightsKey;
  /// Names (`classifier.weight`) of tensors under other keys that are no copy of these: as in
  /// Checkpoint::beside.
  std::vector<std::string> beside;
};

/// Returns true if `choice` asks for the average of a state dict that holds the weights as well.
/// Throws a Malformed if the other copy is no average but a teacher's, and nothing is asked for.
bool wantsAverage(WeightsChoice choice, const NamedAverage& average);

/// Finds the copy of the weights that `choice` asks for. If the file does not contain that copy,
/// throws a Malformed that lists the copies that it contains.
SelectedWeights selectWeights(const PickleValue& root, WeightsChoice choice, WorkBudget& work);

}  // namespace softscope
