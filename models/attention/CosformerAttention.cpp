#include "models/attention/CosformerAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/MechanismImplementation.h"
#include "models/layers/Products.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace softscope {

namespace {

constexpr double leastRowSum = 1e-6;
/// Tokens of a few heads, whose features take 4 MB at 32 channels.
constexpr std::int64_t tokensAtOnce = 8192;

/// Some heads of some pictures.
struct HeadGroup {
  std::int64_t picture;
  std::int64_t pictures;
  std::int64_t head;
  std::int64_t heads;

  torch::Tensor of(const torch::Tensor& tensor) const {
    return tensor.narrow(0, picture, pictures).narrow(1, head, heads);
  }
};

/// Divides [B, heads, n, d] into parts of about `tokensAtOnce` tokens, but at least one head each.
std::vector<HeadGroup> partsOf(const torch::Tensor& query) {
  const std::int64_t pictures = query.size(0);
  const std::int64_t heads = query.size(1);
  const std::int64_t headsAtOnce = std::max<std::int64_t>(1, tokensAtOnce / query.size(2));
  const std::int64_t picturesAtOnce = std::max<std::int64_t>(1, headsAtOnce / heads);
  std::vector<HeadGroup> parts;
  for (std::int64_t picture = 0; picture < pictures; picture += picturesAtOnce) {
    for (std::int64_t head = 0; head < heads; head += headsAtOnce) {
      parts.push_back({picture, std::min(picturesAtOnce, pictures - picture), head,
                       std::min(headsAtOnce, heads - head)});
    }
  }
  return parts;
}

/// Returns CosFormer's features: relu(x) of [B, heads, n, d] times each of the four weights of its
/// token, weights [n, 4]: [B, heads, n, 4 d].
torch::Tensor cosformerFeatures(const torch::Tensor& x, const torch::Tensor& weights) {
  return (x.relu().unsqueeze(-2) * weights.unsqueeze(-1)).flatten(-2);
}

/// Returns the divisors of rows from the sums of their features' products, at least 1e-6, so that a
/// query without a positive channel attends to nothing rather than giving 0 / 0.
torch::Tensor cosformerDivisor(const torch::Tensor& rowSums) {
  return rowSums.clamp_min(leastRowSum);
}

/// Returns the gradient of x from the gradient of its features.
torch::Tensor featuresGradient(const torch::Tensor& gradient, const torch::Tensor& x,
                               const torch::Tensor& weights) {
  const torch::Tensor products =
      gradient.unflatten(-1, {weights.size(1), x.size(-1)}) * weights.unsqueeze(-1);
  return at::threshold_backward(products.sum(-2), x, 0);
}

/// Computes the row sums with the product: R^T [V 1] has the sums over keys in an extra column, so
/// that the row sums and their gradients need no products of their own.
struct ProductOfFeatures : torch::autograd::Function<ProductOfFeatures> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& weights) {
    const std::int64_t width = value.size(-1);
    const std::int64_t features = query.size(-1) * weights.size(1);
    const torch::Tensor sums =
        torch::empty({query.size(0), query.size(1), features, width + 1}, query.options());
    const torch::Tensor divisor =
        torch::empty({query.size(0), query.size(1), query.size(2), 1}, query.options());
    const torch::Tensor result = torch::empty_like(value, at::MemoryFormat::Contiguous);
    for (const HeadGroup& part : partsOf(query)) {
      const torch::Tensor right = cosformerFeatures(part.of(key), weights);
      const torch::Tensor sum = matrixProduct(right.transpose(-1, -2), withOnes(part.of(value)));
      const torch::Tensor rows = matrixProduct(cosformerFeatures(part.of(query), weights), sum);
      const torch::Tensor divided = cosformerDivisor(rows.narrow(-1, width, 1));
      part.of(sums).copy_(sum);
      part.of(divisor).copy_(divided);
      part.of(result).copy_(rows.narrow(-1, 0, width) / divided);
    }
    context->save_for_backward({query, key, value, weights, sums, divisor, result});
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &query = saved[0], &key = saved[1], &value = saved[2], &weights = saved[3];
    const torch::Tensor &sums = saved[4], &divisor = saved[5], &result = saved[6];
    const std::int64_t width = value.size(-1);
    const torch::Tensor queryGradient = torch::empty_like(query);
    const torch::Tensor keyGradient = torch::empty_like(key);
    const torch::Tensor valueGradient = torch::empty_like(value);
    for (const HeadGroup& part : partsOf(query)) {
      const torch::Tensor divided = part.of(divisor);
      const torch::Tensor scaled = part.of(gradients[0]) / divided;
      // No gradient flows through a sum that was raised to the minimum.
      const torch::Tensor divisorGradient =
          (scaled * part.of(result)).sum(-1, true).neg_() * (divided > leastRowSum);
      const torch::Tensor rows = at::cat({scaled, divisorGradient}, -1);
      const torch::Tensor left = cosformerFeatures(part.of(query), weights);
      const torch::Tensor right = cosformerFeatures(part.of(key), weights);
      const torch::Tensor sum = matrixProduct(left.transpose(-1, -2), rows);
      part.of(queryGradient)
          .copy_(featuresGradient(matrixProduct(rows, part.of(sums).transpose(-1, -2)),
                                  part.of(query), weights));
      part.of(keyGradient)
          .copy_(featuresGradient(matrixProduct(withOnes(part.of(value)), sum.transpose(-1, -2)),
                                  part.of(key), weights));
      part.of(valueGradient).copy_(matrixProduct(right, sum.narrow(-1, 0, width)));
    }
    return {queryGradient, keyGradient, valueGradient, {}};
  }
};

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

/// CosFormer ("cosFormer: Rethinking Softmax in Attention", 2022, arXiv 2202.08791), extended to
/// grids of H x W tokens as in appendix A.4 of "SimA: Simple Softmax-free Attention for Vision
/// Transformers", 2022, arXiv 2206.08898:
///   S_ij = relu(q_i) . relu(k_j) cos(pi/2 (x_i - x_j)/W) cos(pi/2 (y_i - y_j)/H),
/// rows divided by their sums, at least 1e-6. Expanding both cosines of differences leaves four
/// products of features. Query, key and value are [B, heads, H W, d]. Sets the description's
/// mechanism.
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

/// CosFormer without its re-weighting, as Table 2 of the same paper compares it:
///   S_ij = relu(q_i) . relu(k_j),
/// rows divided by their sums, at least 1e-6. Query, key and value are [B, heads, n, d]. Sets the
/// description's mechanism.
torch::Tensor plainCosformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                      const torch::Tensor& value, const std::string& layer,
                                      AttentionDescription description, Recorder* recorder) {
  description.mechanism = "cosformer_plain";
  return attendWithFactors({query.relu(), key.relu(), query, key, cosformerDivisor}, value, layer,
                           description, recorder);
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

torch::Tensor cosformerProduct(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& value, const torch::Tensor& weights) {
  return ProductOfFeatures::apply(query, key, value, weights);
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
