#pragma once

#include <torch/nn/module.h>

#include <utility>
#include <vector>

namespace softscope {

/// While an object of this class exists, a network's floating-point tensors have the values that a
/// 16-bit file would give back.
class RoundedToHalf {
 public:
  explicit RoundedToHalf(const torch::nn::Module& network);
  ~RoundedToHalf();
  RoundedToHalf(const RoundedToHalf&) = delete;
  RoundedToHalf& operator=(const RoundedToHalf&) = delete;

 private:
  /// Each tensor with its original values.
  std::vector<std::pair<torch::Tensor, torch::Tensor>> tensors_;
};

}  // namespace softscope
