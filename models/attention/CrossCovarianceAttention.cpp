#include "models/attention/CrossCovarianceAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/layers/Products.h"

#include <utility>

namespace softscope {

namespace {

/// Returns the l2 norm of each channel over the tokens, with torch's own lower bound: [B, heads, n,
/// d] -> [B, heads, 1, d].
torch::Tensor channelLength(const torch::Tensor& x) {
  constexpr double epsilon = 1e-12;
  return x.norm(2, {-2}, true).clamp_min(epsilon);
}

AttentionOperator makeCrossCovarianceOperator(const CostRequest& request) {
  const torch::Tensor temperature = at::ones({request.heads, 1, 1}, costOptions(request));
  return [temperature](const torch::Tensor& query, const torch::Tensor& key,
                       const torch::Tensor& value) {
    return crossCovarianceAttention(query, key, value, temperature, {}, nullptr);
  };
}

std::int64_t channelMatrixNumbers(const CostRequest& request) {
  return headWidth(request) * headWidth(request);
}

}  // namespace

torch::Tensor crossCovarianceAttention(const torch::Tensor& query, const torch::Tensor& key,
                                       const torch::Tensor& value, const torch::Tensor& temperature,
                                       const std::string& layer, Recorder* recorder) {
  // The d x d product is divided by the norms, instead of the n x d factors.
  const torch::Tensor lengths = channelLength(query).transpose(-1, -2).mul(channelLength(key));
  const torch::Tensor products = matrixProduct(query.transpose(-1, -2), key);
  const torch::Tensor attention = products.div(lengths).mul(temperature).softmax(-1);
  if (recorder != nullptr) {
    AttentionRecord record;
    record.layer = layer;
    record.description.mechanism = "xca_channel";
    record.map = DenseTensors{attention[0]};
    recorder->record(std::move(record));
  }
  return matrixProduct(value, attention.transpose(-1, -2));
}

MechanismImplementation crossCovarianceImplementation() {
  return {.mechanism = &mechanismNamed("xca_channel"),
          .operators = {{"xca_channel", makeCrossCovarianceOperator, channelMatrixNumbers}}};
}

}  // namespace softscope
