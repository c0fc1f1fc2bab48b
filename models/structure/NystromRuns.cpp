#include "models/attention/SoftmaxAttention.h"
#include "models/layers/Products.h"
#include "models/structure/StructureAttention.h"

#include <utility>

namespace softscope {

namespace {

/// Returns an approximate inverse of [B, heads, m, m] by the iteration of the paper, which starts
/// from the transpose over the largest sums of rows and columns among all heads.
torch::Tensor invertByIteration(const torch::Tensor& kernel, int iterations) {
  const torch::Tensor magnitudes = kernel.abs();
  const torch::Tensor largest = magnitudes.sum(-1).max() * magnitudes.sum(-2).max();
  const torch::Tensor identity = at::eye(kernel.size(-1), kernel.options());
  torch::Tensor inverse = kernel.transpose(-1, -2) / largest;
  for (int step = 0; step < iterations; ++step) {
    const torch::Tensor product = matrixProduct(kernel, inverse);
    const torch::Tensor inner = 15 * identity - matrixProduct(product, 7 * identity - product);
    inverse = matrixProduct(0.25 * inverse, 13 * identity - matrixProduct(product, inner));
  }
  return inverse;
}

}  // namespace

torch::Tensor runNystromAttention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, const torch::Tensor& filters,
                                  int landmarks, int iterations, const std::string& layer,
                                  AttentionDescription description, Recorder* recorder,
                                  torch::Tensor& beside) {
  const std::int64_t tokens = query.size(2);
  const std::int64_t added = (landmarks - tokens % landmarks) % landmarks;
  const auto padded = [&](const torch::Tensor& x) {
    return at::constant_pad_nd(x, {0, 0, added, 0});
  };
  const torch::Tensor queries = padded(query * inverseRootOfWidth(query));
  const torch::Tensor keys = padded(key);
  const auto means = [&](const torch::Tensor& x) {
    return x.view({x.size(0), x.size(1), landmarks, -1, x.size(3)}).mean(3);
  };
  const torch::Tensor queryLandmarks = means(queries);
  const torch::Tensor keyLandmarks = means(keys).transpose(-1, -2);
  const torch::Tensor toLandmarks =
      softmaxOfRows(matrixProduct(queries.slice(2, added).contiguous(), keyLandmarks));
  const torch::Tensor inverse =
      invertByIteration(softmaxOfRows(matrixProduct(queryLandmarks, keyLandmarks)), iterations);
  // Added tokens count in the sums of rows; their columns are left out, as their values are zero.
  const torch::Tensor fromLandmarks =
      softmaxOfRows(matrixProduct(queryLandmarks, keys.transpose(-1, -2))).slice(3, added);
  if (recorder != nullptr) {
    description.mechanism = "nystrom";
    description.landmarks = landmarks;
    recorder->record(AttentionRecord{
        .layer = layer,
        .description = std::move(description),
        .map = FactorTensors{toLandmarks[0], inverse[0], fromLandmarks[0].transpose(-1, -2)},
        .queryL1 = query[0].abs().sum(-1),
        .keyL1 = key[0].abs().sum(-1),
        .bottleneck = {},
        .bottleneckInverse = {}});
  }
  if (filters.defined()) {
    beside = at::conv2d(padded(value), filters, {}, 1, {filters.size(2) / 2, 0}, 1, filters.size(0))
                 .slice(2, added);
  }
  return matrixProduct(toLandmarks,
                       matrixProduct(inverse, matrixProduct(fromLandmarks.contiguous(), value)));
}

}  // namespace softscope
