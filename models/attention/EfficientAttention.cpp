#include "core/network/Recorder.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"

#include <torch/types.h>

#include <string>

namespace softscope {

/// Efficient attention ("Efficient Attention: Attention with Linear Complexities", 2018, arXiv
/// 1812.01243): a softmax over the d channels of each query times a softmax over the n tokens of
/// each key channel, so that rows sum to one. Query, key and value are [B, heads, n, d]. This
/// function sets the description's mechanism.
torch::Tensor efficientAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder);

namespace {

class EfficientKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return efficientAttention(in.query, in.key, in.value, in.layer, in.description, in.recorder);
  }
};

AttentionOperator makeEfficientOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return efficientAttention(query, key, value, {}, {}, nullptr);
  };
}

}  // namespace

torch::Tensor efficientAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder) {
  description.mechanism = "efficient";
  return attendWithFactors({query.softmax(-1), key.softmax(-2), query, key}, value, layer,
                           description, recorder);
}

MechanismImplementation efficientImplementation() {
  return {.mechanism = &mechanismNamed("efficient"),
          .makeKernel = makePyramidKernel<EfficientKernel>,
          .operators = {{"efficient", makeEfficientOperator, queryAndKeyNumbers}}};
}

}  // namespace softscope
