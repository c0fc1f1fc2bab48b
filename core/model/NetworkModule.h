#pragma once

#include "core/model/Network.h"

#include <torch/nn/module.h>
#include <torch/types.h>

namespace softscope {

/// A network definition: parameters under their published names, and the forward pass. In training
/// mode forward() is differentiable, normalises by batch statistics and, where it has DropPath,
/// drops residual branches at random.
class NetworkModule : public Network, public torch::nn::Module {
 public:
  torch::Device device() const override { return parameters().front().device(); }
};

}  // namespace softscope
