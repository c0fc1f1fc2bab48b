#include "models/attention/SimaAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/layers/Products.h"

#include <utility>

namespace softscope {

namespace {

/// x / max(sum over tokens |x|, epsilon), per channel: [B, heads, n, d].
torch::Tensor normaliseChannels(const torch::Tensor& x, double epsilon) {
  return x / x.abs().sum(-2, true).clamp_min(epsilon);
}

class SimaKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return simaAttention(in.query, in.key, in.value, simaEpsilon, in.layer, in.description,
                         in.recorder);
  }
};

template <SimaOrder order>
AttentionOperator makeSimaOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return simaAttention(query, key, value, simaEpsilon, {}, {}, nullptr, order);
  };
}

std::int64_t quadraticSimaNumbers(const CostRequest& request) {
  return std::int64_t{request.tokens} * request.tokens + queryAndKeyNumbers(request);
}

}  // namespace

torch::Tensor simaAttention(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, double epsilon, const std::string& layer,
                            const AttentionDescription& description, Recorder* recorder,
                            SimaOrder order) {
  const torch::Tensor normalQuery = normaliseChannels(query, epsilon);
  const torch::Tensor normalKey = normaliseChannels(key, epsilon);
  if (recorder != nullptr) {
    AttentionRecord record{.layer = layer,
                           .description = description,
                           .map = FactorTensors{normalQuery[0], {}, normalKey[0]},
                           .queryL1 = normalQuery[0].abs().sum(-1),
                           .keyL1 = normalKey[0].abs().sum(-1),
                           .bottleneck = {},
                           .bottleneckInverse = {}};
    record.description.mechanism = "sima";
    recorder->record(std::move(record));
  }
  const std::int64_t queries = query.size(-2);
  const std::int64_t keys = key.size(-2);
  const std::int64_t width = query.size(-1);
  const std::int64_t valueWidth = value.size(-1);
  const torch::Tensor keyRows = normalKey.transpose(-1, -2);
  const bool cheaper =
      queries * keys * (width + valueWidth) < (queries + keys) * width * valueWidth;
  if (order == SimaOrder::Quadratic || (order == SimaOrder::Cheaper && cheaper)) {
    return matrixProduct(matrixProduct(normalQuery, keyRows), value);
  }
  return matrixProduct(normalQuery, matrixProduct(keyRows, value));
}

MechanismImplementation simaImplementation() {
  return {.mechanism = &mechanismNamed("sima"),
          .makeKernel = makePyramidKernel<SimaKernel>,
          .operators = {
              {"sima", makeSimaOperator<SimaOrder::Linear>, queryAndKeyNumbers},
              {"sima_quadratic", makeSimaOperator<SimaOrder::Quadratic>, quadraticSimaNumbers}}};
}

}  // namespace softscope
