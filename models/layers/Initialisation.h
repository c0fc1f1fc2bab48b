#pragma once

#include <torch/nn/module.h>

#include <cstdint>

namespace softscope {

/// Initialises a network for training from scratch, on the CPU: linear layers, position tables and
/// class tokens are normal with standard deviation 0.02, linear biases 0; norms 1 and 0;
/// convolutions uniform within 1 / sqrt(inputs of one output), as in the published code. The same
/// seed gives the same network. A family that needs other values sets them afterwards.
void initialise(torch::nn::Module& network, std::uint64_t seed);

}  // namespace softscope
