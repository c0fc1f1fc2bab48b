#pragma once

#include "core/model/Recorder.h"
#include "models/attention/NonLocalMechanism.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// A g of theta, phi and g [B, heads, n, C']: the attention A of the mechanism, applied to the
/// values. Softmax is recorded as a kernel map, the others as the factors they are computed by.
/// `softmaxScale` multiplies the products under a softmax; the other mechanisms have their own.
/// `description` says everything but sizes and mechanism.
torch::Tensor nonLocalAttention(const torch::Tensor& theta, const torch::Tensor& phi,
                                const torch::Tensor& g, const NonLocalMechanism& mechanism,
                                double softmaxScale, const std::string& layer,
                                AttentionDescription description, Recorder* recorder);

}  // namespace softscope
