#include "models/layers/MapPooling.h"

namespace softscope {

MapPooling mapPoolingOfOption(const std::string& value) {
  if (value == "max") return MapPooling::Largest;
  return value == "avgmax" ? MapPooling::MeanAndLargest : MapPooling::Mean;
}

torch::Tensor pooledOver(const torch::Tensor& x, torch::IntArrayRef places, MapPooling pooling) {
  if (pooling == MapPooling::Mean) return x.mean(places);
  const torch::Tensor largest = x.amax(places);
  return pooling == MapPooling::Largest ? largest : 0.5 * (x.mean(places) + largest);
}

}  // namespace softscope
