#include "core/train/RoundedToHalf.h"

#include "core/model/NamedTensors.h"

#include <string>

namespace softscope {

RoundedToHalf::RoundedToHalf(const torch::nn::Module& network) {
  const torch::NoGradGuard noGradient;
  forEachTensor(network, [this](const std::string&, torch::Tensor tensor) {
    if (!tensor.is_floating_point()) return;
    tensors_.emplace_back(tensor, tensor.clone());
    tensor.copy_(tensor.to(torch::kFloat16));
  });
}

RoundedToHalf::~RoundedToHalf() {
  const torch::NoGradGuard noGradient;
  for (const auto& [tensor, before] : tensors_) torch::Tensor(tensor).copy_(before);
}

}  // namespace softscope
