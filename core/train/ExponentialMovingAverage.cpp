#include "core/train/ExponentialMovingAverage.h"

#include <algorithm>

namespace softscope {

ExponentialMovingAverage::ExponentialMovingAverage(const torch::nn::Module& network,
                                                   const torch::nn::Module& average, double decay)
    : decay_(decay) {
  const torch::NoGradGuard noGradient;
  const auto averages = average.named_parameters();
  const auto averageBuffers = average.named_buffers();
  for (const auto& item : network.named_parameters()) {
    pairs_.push_back({item.value(), averages[item.key()]});
  }
  for (const auto& item : network.named_buffers()) {
    pairs_.push_back({item.value(), averageBuffers[item.key()]});
  }
  for (Pair& pair : pairs_) pair.average.copy_(pair.source);
}

void ExponentialMovingAverage::update(std::int64_t step) {
  const torch::NoGradGuard noGradient;
  const double count = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + count) / (10 + count));
  for (Pair& pair : pairs_) {
    if (pair.average.is_floating_point()) {
      pair.average.lerp_(pair.source, 1 - decay);
    } else {
      pair.average.copy_(pair.source);
    }
  }
}

}  // namespace softscope
