#pragma once

#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <torch/types.h>

#include <functional>
#include <optional>
#include <vector>

namespace softscope {

class Network;

/// Calls `run` with a model's network and the picture on its device, [1, channels, height, width],
/// where gradients can be computed. `what` names what needs them, such as `gradient of a class`.
/// Throws InspectionError for a network whose weights are not here, and if the architecture cannot
/// take an input of that size or memory is insufficient, and anything else that `run` throws.
void runForGradients(const Model& model, const InputTensor& input, const char* what,
                     const std::function<void(Network&, const torch::Tensor& picture)>& run);

/// Returns the gradient of `scalar` with respect to each of `inputs`: undefined where it does not
/// depend on them. The graph stays, for further gradients.
std::vector<torch::Tensor> gradientsOf(const torch::Tensor& scalar,
                                       const std::vector<torch::Tensor>& inputs);

/// Returns the index of a class. Throws InspectionError unless it is one of `classes`, from 0.
int checkedClass(int classIndex, int classes);

/// Returns the class that is asked for: `classIndex`, checked as by checkedClass(), or without it
/// the one that `logits` [classes] predict. Throws InspectionError if one of them is NaN.
int askedClass(const torch::Tensor& logits, const std::optional<int>& classIndex);

}  // namespace softscope
