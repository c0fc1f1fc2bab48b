#pragma once

#include <torch/types.h>

#include <string>

namespace softscope {

/// The values over all places of a map that its network's head sees.
enum class MapPooling {
  Mean,
  Largest,
  MeanAndLargest,  ///< half of the mean and half of the largest values
};

/// Returns the pooling that a value of `--pooling` names, of `mean`, `max` and `avgmax`.
MapPooling mapPoolingOfOption(const std::string& value);

/// Returns the pooled values of x over these dimensions, which the result lacks.
torch::Tensor pooledOver(const torch::Tensor& x, torch::IntArrayRef places, MapPooling pooling);

}  // namespace softscope
