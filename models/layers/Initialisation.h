#pragma once

#include "models/layers/Layers.h"

#include <torch/nn/module.h>

#include <cstdint>

namespace softscope {

/// Initialises a network for training from scratch, on the CPU: linear layers, position tables and
/// class tokens are normal with standard deviation 0.02, linear biases 0; norms 1 and 0;
/// convolutions uniform within 1 / sqrt(inputs of one output), as in the published code. The same
/// seed gives the same network. A family that needs other values sets them afterwards.
void initialise(torch::nn::Module& network, std::uint64_t seed);

/// Returns sqrt(2 / inputs of one output), which keeps magnitudes constant through ReLUs and
/// convolutions ("Delving Deep into Rectifiers", 2015, arXiv 1502.01852).
double heDeviation(const ConvolutionImpl& convolution);
/// Rescales weights that initialise() drew, uniform within 1 / sqrt(inputs of one output), to
/// another standard deviation.
void rescale(ConvolutionImpl& convolution, double deviation);

}  // namespace softscope
