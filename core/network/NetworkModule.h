#pragma once

#include "core/network/Network.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <optional>
#include <vector>

namespace softscope {

/// A network definition: parameters under their published names, and the forward pass. In training
/// mode forward() is differentiable, normalises by batch statistics and, if the network has
/// DropPath, drops residual branches at random.
class NetworkModule : public Network, public torch::nn::Module {
 public:
  torch::Device device() const override { return deviceOf(*this).value(); }

 private:
  /// Returns the device of the first parameter. Every forward pass asks for it, and listing all
  /// parameters would take longer.
  static std::optional<torch::Device> deviceOf(const torch::nn::Module& module) {
    const std::vector<torch::Tensor> own = module.parameters(false);
    if (!own.empty()) return own.front().device();
    for (const auto& child : module.children()) {
      if (const auto device = deviceOf(*child)) return device;
    }
    return {};
  }
};

/// Calls `visit(name, tensor)` for every parameter of the network, then for every buffer:
/// everything that a checkpoint of it holds.
template <typename Visit>
void forEachTensor(const torch::nn::Module& network, const Visit& visit) {
  for (const auto& parameter : network.named_parameters()) {
    visit(parameter.key(), parameter.value());
  }
  for (const auto& buffer : network.named_buffers()) visit(buffer.key(), buffer.value());
}

}  // namespace softscope
