#include "models/attention/LinformerAttention.h"

#include "models/layers/Products.h"

#include <cmath>
#include <utility>

namespace softscope {

torch::Tensor linformerAttention(const LinformerInput& input, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder) {
  const double scale = 1 / std::sqrt(static_cast<double>(input.query.size(-1)));
  const torch::Tensor weights =
      matrixProduct(input.query * scale, input.shortenedKey.transpose(-1, -2)).softmax(-1);
  if (recorder != nullptr) {
    description.mechanism = "linformer";
    description.landmarks = static_cast<int>(weights.size(-1));
    recorder->record(
        AttentionRecord{.layer = layer,
                        .description = std::move(description),
                        .map = FactorTensors{weights[0], {}, input.projection.transpose(-1, -2)},
                        .queryL1 = input.query[0].abs().sum(-1),
                        .keyL1 = input.key[0].abs().sum(-1),
                        .bottleneck = {},
                        .bottleneckInverse = {}});
  }
  return matrixProduct(weights, input.shortenedValue);
}

torch::Tensor linformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder) {
  return linformerAttention({.query = query,
                             .key = key,
                             .shortenedKey = matrixProduct(projection, key),
                             .shortenedValue = matrixProduct(projection, value),
                             .projection = projection},
                            layer, std::move(description), recorder);
}

torch::Tensor convolutionMatrix(const torch::Tensor& filters, const TokenGrid& grid) {
  const std::int64_t heads = filters.size(0);
  const std::int64_t ratio = filters.size(2);
  const std::int64_t height = grid.height / ratio;
  const std::int64_t width = grid.width / ratio;
  // The convolution's adjoint makes a row of E of each output's unit vector.
  const torch::Tensor units = at::eye(height * width, filters.options())
                                  .view({height * width, 1, height, width})
                                  .expand({-1, heads, -1, -1});
  const torch::Tensor covered = at::conv_transpose2d(units, filters, {}, ratio, 0, 0, heads);
  const torch::Tensor rows = at::constant_pad_nd(
      covered, {0, grid.width - width * ratio, 0, grid.height - height * ratio});
  return rows.flatten(2).transpose(0, 1);
}

}  // namespace softscope
