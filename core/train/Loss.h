#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace softscope {

/// Returns [count, classes]: 1 - smoothing at each label, plus smoothing spread evenly over all
/// classes.
torch::Tensor smoothedTargets(const std::vector<int>& labels, std::int64_t classes,
                              double smoothing);

/// Returns the mean over the batch of -sum(targets * log softmax(logits)), both [count, classes],
/// in float32.
torch::Tensor crossEntropy(const torch::Tensor& logits, const torch::Tensor& targets);

}  // namespace softscope
