#pragma once

#include "models/layers/Layers.h"

namespace softscope {

/// Returns sqrt(2 / inputs of one output), which keeps magnitudes constant through ReLUs and
/// convolutions ("Delving Deep into Rectifiers", 2015, arXiv 1502.01852).
double heDeviation(const ConvolutionImpl& convolution);
/// Rescales weights that initialise() drew, uniform within 1 / sqrt(inputs of one output), to
/// another standard deviation.
void rescale(ConvolutionImpl& convolution, double deviation);

}  // namespace softscope
