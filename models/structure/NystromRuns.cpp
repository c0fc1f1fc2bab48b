#include "models/attention/NystromformerAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/Products.h"
#include "models/structure/StructureAttention.h"

#include <utility>

namespace softscope {

namespace {

/// Divides the transpose by the largest sums of rows and columns among all heads, from which the
/// iteration towards the inverse of [B, heads, m, m] starts.
torch::Tensor startOfIteration(const torch::Tensor& kernel) {
  const torch::Tensor magnitudes = kernel.abs();
  return kernel.transpose(-1, -2) / (magnitudes.sum(-1).max() * magnitudes.sum(-2).max());
}

}  // namespace

torch::Tensor convolvedAlongTokens(const torch::Tensor& value, const torch::Tensor& filters) {
  return at::conv2d(value, filters, {}, 1, {filters.size(2) / 2, 0}, 1, filters.size(0));
}

HeadTerms runNystromAttention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, NystromLayer layer, Recorder* recorder) {
  const int landmarks = layer.landmarks;
  const std::int64_t tokens = query.size(2);
  const std::int64_t added = (landmarks - tokens % landmarks) % landmarks;
  const auto padded = [&](const torch::Tensor& x) {
    return at::constant_pad_nd(x, {0, 0, added, 0});
  };
  const torch::Tensor queries = padded(query * inverseRootOfWidth(query));
  const torch::Tensor keys = padded(key);
  const torch::Tensor queryLandmarks = meansOfRuns(queries, landmarks);
  const torch::Tensor keyLandmarks = meansOfRuns(keys, landmarks).transpose(-1, -2);
  const torch::Tensor toLandmarks =
      softmaxOfRows(matrixProduct(queries.slice(2, added).contiguous(), keyLandmarks));
  const torch::Tensor kernel = softmaxOfRows(matrixProduct(queryLandmarks, keyLandmarks));
  const torch::Tensor inverse =
      iterateTowardsInverse(kernel, startOfIteration(kernel), layer.iterations);
  // Added tokens count in the sums of rows; their columns are left out, as their values are zero.
  const torch::Tensor fromLandmarks =
      softmaxOfRows(matrixProduct(queryLandmarks, keys.transpose(-1, -2))).slice(3, added);
  if (recorder != nullptr) {
    layer.description.mechanism = "nystrom";
    layer.description.landmarks = landmarks;
    if (layer.filters.defined()) layer.description.beside = besideAsConvolution;
    recorder->record(AttentionRecord{
        .layer = layer.name,
        .description = std::move(layer.description),
        .map = FactorTensors{toLandmarks[0], inverse[0], fromLandmarks[0].transpose(-1, -2)},
        .queryL1 = query[0].abs().sum(-1),
        .keyL1 = key[0].abs().sum(-1),
        .value = value[0]});
  }
  HeadTerms terms;
  if (layer.filters.defined()) terms.beside = convolvedAlongTokens(value, layer.filters);
  terms.attention = matrixProduct(
      toLandmarks, matrixProduct(inverse, matrixProduct(fromLandmarks.contiguous(), value)));
  return terms;
}

}  // namespace softscope
