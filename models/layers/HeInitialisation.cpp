#include "models/layers/HeInitialisation.h"

#include <cmath>

namespace softscope {

namespace {

double inputsOf(const ConvolutionImpl& convolution) {
  return static_cast<double>(convolution.weight[0].numel());
}

}  // namespace

double heDeviation(const ConvolutionImpl& convolution) {
  return std::sqrt(2 / inputsOf(convolution));
}

void rescale(ConvolutionImpl& convolution, double deviation) {
  // A uniform distribution on [-b, b] has the standard deviation b / sqrt(3).
  convolution.weight.mul_(deviation * std::sqrt(3 * inputsOf(convolution)));
}

}  // namespace softscope
