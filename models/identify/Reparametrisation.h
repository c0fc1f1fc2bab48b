#pragma once

#include "core/checkpoint/StateDict.h"

#include <string>

namespace softscope {

/// Returns a state dict with the weights that PyTorch computes from what the file holds in their
/// place: weight norm (`weight_g` and `weight_v`), spectral norm (`weight_orig`, `weight_u` and
/// `weight_v`), both also as `parametrizations.weight.original...`, and pruning (`weight_orig` and
/// `weight_mask`). What is not certain stays as it is.
StateDict withComputedWeights(const StateDict& state);

/// Returns `its weights are parametrised (...)` and what to do if a file holds, in place of
/// weights, what an unknown function computes them from; empty for any other file.
std::string parametrisedText(const StateDict& state);

}  // namespace softscope
