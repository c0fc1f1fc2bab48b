#include "models/attention/PerformerAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/layers/Products.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// phi(x) of [B, heads, n, d], with the largest exponents over `dimensions` taken off:
/// [B, heads, n, m].
torch::Tensor positiveFeatures(const torch::Tensor& x, const torch::Tensor& projection,
                               at::IntArrayRef dimensions) {
  const torch::Tensor scaled = x / std::sqrt(std::sqrt(static_cast<double>(x.size(-1))));
  const torch::Tensor products = matrixProduct(scaled, projection.transpose(0, 1));
  const torch::Tensor shift = products.amax(dimensions, true);
  const torch::Tensor exponents = products - scaled.square().sum(-1, true) / 2 - shift;
  return (exponents.exp() + 1e-4) / std::sqrt(static_cast<double>(projection.size(0)));
}

}  // namespace

torch::Tensor performerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder) {
  const torch::Tensor features = positiveFeatures(query, projection, {-1});
  const torch::Tensor right = positiveFeatures(key, projection, {-1, -2});
  // Rows are divided by their sums, so that what is recorded is what multiplies V.
  const torch::Tensor left = features / rowSums(features, right);
  description.mechanism = "performer";
  return attendWithFactors({left, right, query, key}, value, layer, description, recorder);
}

int performerFeatures(int width) {
  return std::max(1, static_cast<int>(width * std::log(static_cast<double>(width))));
}

torch::Tensor orthogonalRandomFeatures(int features, int width, at::Generator generator) {
  std::vector<torch::Tensor> blocks;
  for (int first = 0; first < features; first += width) {
    const torch::Tensor orthogonal =
        std::get<0>(at::linalg_qr(at::randn({width, width}, generator)));
    blocks.push_back(orthogonal.slice(0, 0, std::min(width, features - first)));
  }
  const torch::Tensor lengths = at::randn({features, width}, generator).norm(2, {1}, true);
  return at::cat(blocks) * lengths;
}

}  // namespace softscope
