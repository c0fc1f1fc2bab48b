#include "models/linear/ReluLinearAttention.h"

#include "models/attention/FactoredAttention.h"

namespace softscope {

torch::Tensor reluLinearAttention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, double epsilon,
                                  const std::string& layer, AttentionDescription description,
                                  Recorder* recorder) {
  description.mechanism = "litemla";
  const torch::Tensor left = at::relu(query);
  const torch::Tensor right = at::relu(key);
  return attendWithFactors({left, right, query, key, sumsAnd(epsilon)}, value, layer, description,
                           recorder);
}

}  // namespace softscope
