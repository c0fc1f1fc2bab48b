#include "models/linear/RotatedLinearAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/layers/Products.h"

namespace softscope {

namespace {

constexpr double divisorEpsilon = 1e-6;

}  // namespace

torch::Tensor positiveElu(const torch::Tensor& x) {
  return at::elu(x) + 1;
}

torch::Tensor rotatedLinearAttention(const RotatedFeatures& features, const torch::Tensor& value,
                                     const std::string& layer,
                                     const AttentionDescription& description, Recorder* recorder) {
  const auto tokens = static_cast<double>(features.keys.size(-2));
  const torch::Tensor mean = features.keys.mean(-2, true);
  const torch::Tensor divisor =
      matrixProduct(features.queries, mean.transpose(-1, -2)) + divisorEpsilon;
  return attendWithFactors(
      {rotatePairs(features.queries, features.angles) / (divisor * tokens),
       rotatePairs(features.keys, features.angles), features.query, features.key},
      value, layer, description, recorder);
}

}  // namespace softscope
