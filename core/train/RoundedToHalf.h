#pragma once

#include <torch/nn/module.h>

#include <utility>
#include <vector>

namespace softscope {

/// While it lives, a network's floating-point tensors have the values that a file in 16 bits gives
/// back.
class RoundedToHalf {
 public:
  explicit RoundedToHalf(const torch::nn::Module& network);
  ~RoundedToHalf();
  RoundedToHalf(const RoundedToHalf&) = delete;
  RoundedToHalf& operator=(const RoundedToHalf&) = delete;

 private:
  /// Each tensor, and what it was.
  std::vector<std::pair<torch::Tensor, torch::Tensor>> tensors_;
};

}  // namespace softscope
