#pragma once

#include "models/layers/Layers.h"

namespace softscope {

/// sqrt(2 / inputs of one output), which keeps what passes through ReLUs and convolutions as large
/// as it is ("Delving Deep into Rectifiers", 2015, arXiv 1502.01852).
double heDeviation(const ConvolutionImpl& convolution);
/// Brings weights that initialise() drew, uniform within 1 / sqrt(inputs of one output), to another
/// deviation.
void rescale(ConvolutionImpl& convolution, double deviation);

}  // namespace softscope
