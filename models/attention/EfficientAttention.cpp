#include "models/attention/EfficientAttention.h"

#include "models/attention/FactoredAttention.h"

namespace softscope {

torch::Tensor efficientAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder) {
  description.mechanism = "efficient";
  return attendWithFactors({query.softmax(-1), key.softmax(-2), query, key}, value, layer,
                           description, recorder);
}

}  // namespace softscope
