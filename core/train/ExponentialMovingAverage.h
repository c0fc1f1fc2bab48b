#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace softscope {

/// Keeps a second network at a running average of a first one's parameters and buffers.
class ExponentialMovingAverage {
 public:
  enum class Start { Random, Trained };

  /// Both networks must be of the same architecture; `average` starts as a copy. Decay 0 keeps it
  /// one.
  ExponentialMovingAverage(const torch::nn::Module& network, const torch::nn::Module& average,
                           double decay, Start start);

  /// average <- d * average + (1 - d) * network, d the decay. A random start is soon forgotten:
  /// after it, d is at most (1 + step) / (10 + step).
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
