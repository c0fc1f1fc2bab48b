#include "models/attention/FactoredAttention.h"

#include "models/layers/Products.h"

namespace softscope {

void recordFactors(const FactoredAttention& attention, const std::string& layer,
                   const AttentionDescription& description, Recorder* recorder) {
  if (recorder == nullptr) return;
  const auto& [left, right, query, key, divisor] = attention;
  const torch::Tensor rows = divisor.defined() ? left[0] / divisor[0] : left[0];
  recorder->record(AttentionRecord{.layer = layer,
                                   .description = description,
                                   .map = FactorTensors{rows, {}, right[0]},
                                   .queryL1 = query[0].abs().sum(-1),
                                   .keyL1 = key[0].abs().sum(-1),
                                   .bottleneck = {},
                                   .bottleneckInverse = {}});
}

torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder) {
  recordFactors(attention, layer, description, recorder);
  const torch::Tensor sums = matrixProduct(attention.right.transpose(-1, -2), value);
  const torch::Tensor rows = matrixProduct(attention.left, sums);
  return attention.divisor.defined() ? rows / attention.divisor : rows;
}

torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right) {
  return matrixProduct(left, right.sum(-2, true).transpose(-1, -2));
}

}  // namespace softscope
