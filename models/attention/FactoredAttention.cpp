#include "models/attention/FactoredAttention.h"

#include "models/layers/Products.h"

namespace softscope {

torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder) {
  const auto& [left, right, query, key] = attention;
  if (recorder != nullptr) {
    recorder->record(AttentionRecord{.layer = layer,
                                     .description = description,
                                     .map = FactorTensors{left[0], {}, right[0]},
                                     .queryL1 = query[0].abs().sum(-1),
                                     .keyL1 = key[0].abs().sum(-1),
                                     .bottleneck = {},
                                     .bottleneckInverse = {}});
  }
  return matrixProduct(left, matrixProduct(right.transpose(-1, -2), value));
}

torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right) {
  return matrixProduct(left, right.sum(-2, true).transpose(-1, -2));
}

}  // namespace softscope
