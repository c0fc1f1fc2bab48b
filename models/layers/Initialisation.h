#pragma once

#include <torch/nn/module.h>

#include <cstdint>

namespace softscope {

/// Fills a network for a training from nothing, on the CPU: linear layers, position tables and
/// class tokens normal with deviation 0.02, linear biases 0; norms 1 and 0; convolutions uniform
/// within 1 / sqrt(inputs of one output), as the published code leaves them. The same seed gives
/// the same network. What a family fills otherwise, it does afterwards.
void initialise(torch::nn::Module& network, std::uint64_t seed);

}  // namespace softscope
