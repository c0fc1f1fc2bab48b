#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace softscope {

/// Keeps a second network at a running average of the first one's parameters and buffers.
class ExponentialMovingAverage {
 public:
  enum class Start { Random, Trained };

  /// Both networks must have the same architecture; `average` starts as a copy. With decay 0 it
  /// stays a copy.
  ExponentialMovingAverage(const torch::nn::Module& network, const torch::nn::Module& average,
                           double decay, Start start);

  /// Sets average <- d * average + (1 - d) * network, where d is the decay. To forget a random
  /// start quickly, d is at most (1 + step) / (10 + step) after it.
  void update(std::int64_t step);

 private:
  struct Pair {
    torch::Tensor source;
    torch::Tensor average;
  };
  std::vector<Pair> pairs_;
  double decay_;
  Start start_;
};

}  // namespace softscope
