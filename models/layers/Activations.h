#pragma once

#include <torch/types.h>

namespace softscope {

/// x sigmoid(1.702 x), an approximation of GELU that CvT uses, and CLIP as OpenAI trained it.
inline torch::Tensor quickGelu(const torch::Tensor& x) {
  return x.mul(1.702).sigmoid_().mul_(x);
}

}  // namespace softscope
