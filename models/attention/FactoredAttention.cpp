#include "models/attention/FactoredAttention.h"

#include "models/layers/Products.h"

namespace softscope {

void recordFactors(const FactoredAttention& attention, const torch::Tensor& divisor,
                   const torch::Tensor& value, const std::string& layer,
                   const AttentionDescription& description, Recorder* recorder) {
  if (recorder == nullptr) return;
  const torch::Tensor rows = divisor.defined() ? attention.left[0] / divisor[0] : attention.left[0];
  recorder->record(AttentionRecord{.layer = layer,
                                   .description = description,
                                   .map = FactorTensors{rows, {}, attention.right[0]},
                                   .queryL1 = attention.query[0].abs().sum(-1),
                                   .keyL1 = attention.key[0].abs().sum(-1),
                                   .value = value[0]});
}

torch::Tensor attendWithFactors(const FactoredAttention& attention, const torch::Tensor& value,
                                const std::string& layer, const AttentionDescription& description,
                                Recorder* recorder) {
  const auto product = [&](const torch::Tensor& of) {
    return matrixProduct(attention.left, matrixProduct(attention.right.transpose(-1, -2), of));
  };
  if (!attention.divisorOf) {
    recordFactors(attention, {}, value, layer, description, recorder);
    return product(value);
  }
  const std::int64_t width = value.size(-1);
  const torch::Tensor rows = product(withOnes(value));
  const torch::Tensor divisor = attention.divisorOf(rows.narrow(-1, width, 1));
  recordFactors(attention, divisor, value, layer, description, recorder);
  return rows.narrow(-1, 0, width) / divisor;
}

std::function<torch::Tensor(const torch::Tensor& sums)> sumsAnd(double added) {
  return [added](const torch::Tensor& sums) { return sums + added; };
}

torch::Tensor withOnes(const torch::Tensor& value) {
  return at::constant_pad_nd(value, {0, 1}, 1);
}

torch::Tensor rowSums(const torch::Tensor& left, const torch::Tensor& right) {
  return matrixProduct(left, right.sum(-2, true).transpose(-1, -2));
}

}  // namespace softscope
