#include "models/EluAttention.h"

#include "models/FactoredAttention.h"

#include <cmath>

namespace softscope {

namespace {

torch::Tensor eluFeatures(const torch::Tensor& x) {
  return (at::elu(x) + 1) / std::sqrt(std::sqrt(static_cast<double>(x.size(-2))));
}

}  // namespace

torch::Tensor eluAttention(const torch::Tensor& query, const torch::Tensor& key,
                           const torch::Tensor& value, const std::string& layer,
                           AttentionDescription description, Recorder* recorder) {
  description.mechanism = "elu";
  return attendWithFactors({eluFeatures(query), eluFeatures(key), query, key}, value, layer,
                           description, recorder);
}

}  // namespace softscope
