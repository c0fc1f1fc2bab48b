#pragma once

#include <torch/nn/module.h>

namespace softscope {

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
