#include "models/attention/EluAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"

#include <cmath>

namespace softscope {

namespace {

torch::Tensor eluFeatures(const torch::Tensor& x) {
  return (at::elu(x) + 1) / std::sqrt(std::sqrt(static_cast<double>(x.size(-2))));
}

class EluKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return eluAttention(in.query, in.key, in.value, in.layer, in.description, in.recorder);
  }
};

AttentionOperator makeEluOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return eluAttention(query, key, value, {}, {}, nullptr);
  };
}

/// Returns the negative bias for queries and keys of `width` channels with which rows over `tokens`
/// tokens sum to one, if queries and keys stay near it. Near a bias of 0, rows sum to sqrt(tokens)
/// width.
double eluBiasOfUnitRows(double tokens, double width) {
  // elu(b) + 1 = e^b below 0, so a row sums to sqrt(tokens) width e^(2b).
  return -std::log(std::sqrt(tokens) * width) / 2;
}

/// Initialises a network of unnormalised ELU attention so that its rows sum to about one, as with
/// the other mechanisms. With biases of 0 they would sum to sqrt(n) d, and the attention's output
/// would drown the tokens.
void startEluRowsAtOne(const std::vector<PyramidStage>& stages, torch::nn::Module& network) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::string blocks = "block" + std::to_string(stage + 1) + ".";
    const double bias = eluBiasOfUnitRows(stages[stage].tokens, stages[stage].headWidth);
    for (auto& parameter : network.named_parameters()) {
      const std::string& name = parameter.key();
      if (!name.starts_with(blocks)) continue;
      if (name.ends_with(".mha.W_q.bias") || name.ends_with(".mha.W_k.bias")) {
        parameter.value().fill_(bias);
      }
    }
  }
}

}  // namespace

torch::Tensor eluAttention(const torch::Tensor& query, const torch::Tensor& key,
                           const torch::Tensor& value, const std::string& layer,
                           AttentionDescription description, Recorder* recorder) {
  description.mechanism = "elu";
  return attendWithFactors({eluFeatures(query), eluFeatures(key), query, key}, value, layer,
                           description, recorder);
}

MechanismImplementation eluImplementation() {
  return {.mechanism = &mechanismNamed("elu"),
          .makeKernel = makePyramidKernel<EluKernel>,
          .fill = startEluRowsAtOne,
          .operators = {{"elu", makeEluOperator, queryAndKeyNumbers}}};
}

}  // namespace softscope
