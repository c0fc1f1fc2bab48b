#pragma once

#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <torch/types.h>

#include <functional>

namespace softscope {

class Network;

/// Calls `run` with a model's network and the picture on its device, [1, channels, height, width],
/// where gradients can be computed. `what` names what needs them, such as `gradient of a class`.
/// Throws InspectionError for a network whose weights are not here, and if the architecture cannot
/// take an input of that size or memory is insufficient, and anything else that `run` throws.
void runForGradients(const Model& model, const InputTensor& input, const char* what,
                     const std::function<void(Network&, const torch::Tensor& picture)>& run);

}  // namespace softscope
