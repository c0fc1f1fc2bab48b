#include "models/attention/EluAttention.h"

#include "models/attention/FactoredAttention.h"

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

double eluBiasOfUnitRows(double tokens, double width) {
  // elu(b) + 1 = e^b below 0, so a row sums to sqrt(tokens) width e^(2b).
  return -std::log(std::sqrt(tokens) * width) / 2;
}

}  // namespace softscope
