#include "models/attention/SimaAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/layers/Products.h"

#include <utility>

namespace softscope {

namespace {

template <SimaNorm norm>
class SimaKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return simaAttention(in.query, in.key, in.value, norm, in.layer, in.description, in.recorder);
  }
};

/// Implements a norm that exists for comparison only and whose cost is not measured.
template <SimaNorm norm>
MechanismImplementation ablationImplementation() {
  return {.mechanism = &mechanismNamed(mechanismName(norm)),
          .makeKernel = makePyramidKernel<SimaKernel<norm>>};
}

template <SimaOrder order>
AttentionOperator makeSimaOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return simaAttention(query, key, value, SimaNorm::L1, {}, {}, nullptr, order);
  };
}

std::int64_t quadraticSimaNumbers(const CostRequest& request) {
  return std::int64_t{request.tokens} * request.tokens + queryAndKeyNumbers(request);
}

}  // namespace

std::string mechanismName(SimaNorm norm) {
  switch (norm) {
    case SimaNorm::L1:
      return "sima";
    case SimaNorm::L2:
      return "sima_l2";
    case SimaNorm::None:
      break;
  }
  return "sima_unnormalised";
}

std::optional<SimaNorm> simaNormOf(const std::string& mechanism) {
  for (const SimaNorm norm : {SimaNorm::L1, SimaNorm::L2, SimaNorm::None}) {
    if (mechanismName(norm) == mechanism) return norm;
  }
  return std::nullopt;
}

torch::Tensor channelNorms(const torch::Tensor& x, SimaNorm norm, double epsilon) {
  switch (norm) {
    case SimaNorm::L1:
      return x.abs().sum(-2, true).clamp_min(epsilon);
    case SimaNorm::L2:
      return x.norm(2, {-2}, true).clamp_min(epsilon);
    case SimaNorm::None:
      break;
  }
  return at::ones({1}, x.options().requires_grad(false));
}

torch::Tensor simaAttention(const torch::Tensor& query, const torch::Tensor& key,
                            const torch::Tensor& value, SimaNorm norm, const std::string& layer,
                            const AttentionDescription& description, Recorder* recorder,
                            SimaOrder order) {
  const torch::Tensor normalQuery = query / channelNorms(query, norm, simaEpsilon);
  const torch::Tensor normalKey = key / channelNorms(key, norm, simaEpsilon);
  if (recorder != nullptr) {
    AttentionRecord record{.layer = layer,
                           .description = description,
                           .map = FactorTensors{normalQuery[0], {}, normalKey[0]},
                           .queryL1 = normalQuery[0].abs().sum(-1),
                           .keyL1 = normalKey[0].abs().sum(-1),
                           .value = value[0]};
    record.description.mechanism = mechanismName(norm);
    record.description.parameters["D"] = static_cast<double>(query.size(-1));
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
          .makeKernel = makePyramidKernel<SimaKernel<SimaNorm::L1>>,
          .operators = {
              {"sima", makeSimaOperator<SimaOrder::Linear>, queryAndKeyNumbers},
              {"sima_quadratic", makeSimaOperator<SimaOrder::Quadratic>, quadraticSimaNumbers}}};
}

MechanismImplementation simaL2Implementation() {
  return ablationImplementation<SimaNorm::L2>();
}

MechanismImplementation unnormalisedSimaImplementation() {
  return ablationImplementation<SimaNorm::None>();
}

}  // namespace softscope
