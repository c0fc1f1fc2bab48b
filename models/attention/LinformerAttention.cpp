#include "models/attention/LinformerAttention.h"

#include "models/attention/MechanismImplementation.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/LandmarkGrid.h"
#include "models/layers/Products.h"

#include <cmath>
#include <utility>

namespace softscope {

namespace {

/// Attends to keys and values that a learned depthwise convolution `E` shortens, with filters
/// [heads, 1, r, r].
class LinformerKernel final : public PyramidKernel {
 public:
  explicit LinformerKernel(const PyramidAttentionOptions& options) : PyramidKernel(options) {
    shortening_ = register_module("E", Convolution(ConvolutionOptions{.inputs = options.heads,
                                                                      .outputs = options.heads,
                                                                      .kernel = options.ratio,
                                                                      .stride = options.ratio,
                                                                      .groups = options.heads,
                                                                      .bias = false}));
  }

  torch::Tensor attend(Input in) override {
    describeLandmarks(in.description, options().ratio);
    LinformerInput input{.query = in.query,
                         .key = in.key,
                         .value = in.value,
                         .shortenedKey = filterHeads(shortening_, in.key, in.grid),
                         .shortenedValue = filterHeads(shortening_, in.value, in.grid),
                         .projection = {}};
    if (in.recorder != nullptr) {
      input.projection = convolutionMatrix(shortening_->weight, in.grid);
    }
    return linformerAttention(input, in.layer, std::move(in.description), in.recorder);
  }

 private:
  Convolution shortening_{nullptr};
};

AttentionOperator makeLinformerOperator(const CostRequest& request) {
  const torch::Tensor shortening =
      at::randn({request.heads, costLandmarks, request.tokens}, costOptions(request)) /
      std::sqrt(static_cast<double>(request.tokens));
  return [shortening](const torch::Tensor& query, const torch::Tensor& key,
                      const torch::Tensor& value) {
    return linformerAttention(query, key, value, shortening, {}, {}, nullptr);
  };
}

std::int64_t linformerNumbers(const CostRequest& request) {
  return 2 * std::int64_t{costLandmarks} * (request.tokens + headWidth(request));
}

}  // namespace

torch::Tensor linformerAttention(const LinformerInput& input, const std::string& layer,
                                 AttentionDescription description, Recorder* recorder) {
  const double scale = inverseRootOfWidth(input.query);
  const torch::Tensor weights =
      softmaxOfRows(matrixProduct(input.query * scale, input.shortenedKey.transpose(-1, -2)));
  if (recorder != nullptr) {
    description.mechanism = "linformer";
    description.landmarks = static_cast<int>(weights.size(-1));
    recorder->record(
        AttentionRecord{.layer = layer,
                        .description = std::move(description),
                        .map = FactorTensors{weights[0], {}, input.projection.transpose(-1, -2)},
                        .queryL1 = input.query[0].abs().sum(-1),
                        .keyL1 = input.key[0].abs().sum(-1),
                        .value = input.value[0]});
  }
  return matrixProduct(weights, input.shortenedValue);
}

torch::Tensor linformerAttention(const torch::Tensor& query, const torch::Tensor& key,
                                 const torch::Tensor& value, const torch::Tensor& projection,
                                 const std::string& layer, AttentionDescription description,
                                 Recorder* recorder) {
  return linformerAttention({.query = query,
                             .key = key,
                             .value = value,
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
  // Applied to the unit vector of an output, the adjoint of the convolution gives a row of E.
  const torch::Tensor units = at::eye(height * width, filters.options())
                                  .view({height * width, 1, height, width})
                                  .expand({-1, heads, -1, -1});
  const torch::Tensor covered = at::conv_transpose2d(units, filters, {}, ratio, 0, 0, heads);
  const torch::Tensor rows = at::constant_pad_nd(
      covered, {0, grid.width - width * ratio, 0, grid.height - height * ratio});
  return rows.flatten(2).transpose(0, 1);
}

MechanismImplementation linformerImplementation() {
  return {.mechanism = &mechanismNamed("linformer"),
          .makeKernel = makePyramidKernel<LinformerKernel>,
          .ownParameter = "E.weight",
          .operators = {{"linformer", makeLinformerOperator, linformerNumbers}}};
}

}  // namespace softscope
