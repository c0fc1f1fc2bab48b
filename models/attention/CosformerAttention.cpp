#include "models/attention/CosformerAttention.h"

#include "models/attention/CosformerProduct.h"
#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"

#include <numbers>

namespace softscope {

namespace {

/// Returns the angles pi/2 i / length for i = 0 .. length - 1.
torch::Tensor angles(int length, const torch::TensorOptions& options) {
  return at::arange(length, options) * (std::numbers::pi / 2 / length);
}

/// Returns the four products of a cosine or sine of x with one of y, for every token: [H W, 4].
torch::Tensor reweighting(const TokenGrid& grid, const torch::TensorOptions& options) {
  const torch::Tensor x = angles(grid.width, options);
  const torch::Tensor y = angles(grid.height, options).unsqueeze(1);
  return at::stack({y.cos() * x.cos(), y.cos() * x.sin(), y.sin() * x.cos(), y.sin() * x.sin()}, -1)
      .flatten(0, 1);
}

class CosformerKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return cosformerAttention(in.query, in.key, in.value, in.grid, in.layer, in.description,
                              in.recorder);
  }
};

class PlainCosformerKernel final : public PyramidKernel {
  using PyramidKernel::PyramidKernel;
  torch::Tensor attend(Input in) override {
    return plainCosformerAttention(in.query, in.key, in.value, in.layer, in.description,
                                   in.recorder);
  }
};

/// Returns the most square grid of `tokens` tokens.
TokenGrid mostSquareGrid(int tokens) {
  int height = static_cast<int>(std::sqrt(static_cast<double>(tokens)));
  while (tokens % height != 0) --height;
  return {height, tokens / height};
}

AttentionOperator makeCosformerOperator(const CostRequest& request) {
  return [grid = mostSquareGrid(request.tokens)](
             const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return cosformerAttention(query, key, value, grid, {}, {}, nullptr);
  };
}

AttentionOperator makePlainCosformerOperator(const CostRequest&) {
  return [](const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) {
    return plainCosformerAttention(query, key, value, {}, {}, nullptr);
  };
}

std::int64_t cosformerNumbers(const CostRequest& request) {
  return 4 * queryAndKeyNumbers(request);
}

}  // namespace

torch::Tensor cosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const TokenGrid& grid,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder) {
  const torch::Tensor weights = reweighting(grid, query.options().requires_grad(false));
  description.mechanism = "cosformer";
  if (recorder != nullptr) {
    const torch::Tensor left = cosformerFeatures(query, weights);
    const torch::Tensor right = cosformerFeatures(key, weights);
    recordFactors({left, right, query, key}, cosformerDivisor(rowSums(left, right)), value, layer,
                  description, recorder);
  }
  return cosformerProduct(query, key, value, weights);
}

torch::Tensor plainCosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                      const torch::Tensor& value, const std::string& layer,
                                      AttentionDescription description, Recorder* recorder) {
  description.mechanism = "cosformer_plain";
  return attendWithFactors({query.relu(), key.relu(), query, key, cosformerDivisor}, value, layer,
                           description, recorder);
}

MechanismImplementation cosformerImplementation() {
  return {.mechanism = &mechanismNamed("cosformer"),
          .makeKernel = makePyramidKernel<CosformerKernel>,
          .operators = {{"cosformer", makeCosformerOperator, cosformerNumbers}}};
}

MechanismImplementation plainCosformerImplementation() {
  return {.mechanism = &mechanismNamed("cosformer_plain"),
          .makeKernel = makePyramidKernel<PlainCosformerKernel>,
          .operators = {{"cosformer_plain", makePlainCosformerOperator, queryAndKeyNumbers}}};
}

}  // namespace softscope
