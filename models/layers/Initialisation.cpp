#include "models/layers/Initialisation.h"

#include "models/layers/Layers.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>

namespace softscope {

namespace {

// The published trunc_normal_ cuts off at -2 and 2, a hundred standard deviations away.
constexpr double usualDeviation = 0.02;

class Initialiser {
 public:
  explicit Initialiser(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

  void fill(torch::nn::Module& module) {
    if (auto* linear = module.as<LinearImpl>()) {
      linear->weight.normal_(0, usualDeviation, generator_);
      if (linear->bias.defined()) linear->bias.zero_();
    } else if (auto* norm = module.as<LayerNormImpl>()) {
      norm->weight.fill_(1);
      norm->bias.zero_();
    } else if (auto* batchNorm = module.as<BatchNormImpl>()) {
      batchNorm->weight.fill_(1);
      batchNorm->bias.zero_();
      batchNorm->runningMean.zero_();
      batchNorm->runningVariance.fill_(1);
    } else if (auto* convolution = module.as<ConvolutionImpl>()) {
      const double bound = 1 / std::sqrt(static_cast<double>(convolution->weight[0].numel()));
      convolution->weight.uniform_(-bound, bound, generator_);
      if (convolution->bias.defined()) convolution->bias.uniform_(-bound, bound, generator_);
    } else {
      for (torch::Tensor& parameter : module.parameters(false)) {
        parameter.normal_(0, usualDeviation, generator_);
      }
    }
  }

 private:
  at::Generator generator_;
};

double inputsOf(const ConvolutionImpl& convolution) {
  return static_cast<double>(convolution.weight[0].numel());
}

}  // namespace

void initialise(torch::nn::Module& network, std::uint64_t seed) {
  const torch::NoGradGuard noGradient;
  Initialiser initialiser(seed);
  for (const auto& module : network.modules()) initialiser.fill(*module);
}

double heDeviation(const ConvolutionImpl& convolution) {
  return std::sqrt(2 / inputsOf(convolution));
}

void rescale(ConvolutionImpl& convolution, double deviation) {
  // A uniform distribution on [-b, b] has the standard deviation b / sqrt(3).
  convolution.weight.mul_(deviation * std::sqrt(3 * inputsOf(convolution)));
}

}  // namespace softscope
