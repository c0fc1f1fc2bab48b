#pragma once

#include "core/network/Recorder.h"
#include "models/attention/NonLocalMechanism.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Computes A g from theta, phi and g [B, heads, n, C'], where A is the attention of the mechanism.
/// Softmax is recorded as a kernel map, the others as the factors that compute them. `softmaxScale`
/// multiplies the products under a softmax; the other mechanisms have scales of their own.
/// `description` holds everything but sizes and mechanism.
torch::Tensor nonLocalAttention(const torch::Tensor& theta, const torch::Tensor& phi,
                                const torch::Tensor& g, const NonLocalMechanism& mechanism,
                                double softmaxScale, const std::string& layer,
                                AttentionDescription description, Recorder* recorder);

}  // namespace softscope
