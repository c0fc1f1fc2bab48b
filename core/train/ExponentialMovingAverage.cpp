#include "core/train/ExponentialMovingAverage.h"

#include "core/network/NetworkModule.h"

#include <algorithm>
#include <map>
#include <string>

namespace softscope {

ExponentialMovingAverage::ExponentialMovingAverage(const torch::nn::Module& network,
                                                   const torch::nn::Module& average, double decay,
                                                   Start start)
    : decay_(decay), start_(start) {
  const torch::NoGradGuard noGradient;
  std::map<std::string, torch::Tensor> averages;
  forEachTensor(average, [&](const std::string& name, const torch::Tensor& tensor) {
    averages[name] = tensor;
  });
  forEachTensor(network, [&](const std::string& name, const torch::Tensor& tensor) {
    pairs_.push_back({tensor, averages.at(name)});
  });
  for (Pair& pair : pairs_) pair.average.copy_(pair.source);
}

void ExponentialMovingAverage::update(std::int64_t step) {
  const torch::NoGradGuard noGradient;
  const double count = static_cast<double>(step);
  const double decay =
      start_ == Start::Random ? std::min(decay_, (1 + count) / (10 + count)) : decay_;
  for (Pair& pair : pairs_) {
    if (pair.average.is_floating_point()) {
      pair.average.lerp_(pair.source, 1 - decay);
    } else {
      pair.average.copy_(pair.source);
    }
  }
}

}  // namespace softscope
