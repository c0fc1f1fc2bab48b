#include "models/cvt/CvtAttention.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"

#include <cmath>

namespace softscope {

namespace {

constexpr int keyStride = 2;

/// Returns the side that a padded convolution of stride 2 reduces `side` to.
int strided(int side) {
  return (side + keyStride - 1) / keyStride;
}

}  // namespace

CvtProjectionImpl::CvtProjectionImpl(const CvtNames& names, int channels, int kernel, int stride) {
  convolution_ = registerAt(*this, names.convolution,
                            Convolution(ConvolutionOptions{.inputs = channels,
                                                           .outputs = channels,
                                                           .kernel = kernel,
                                                           .stride = stride,
                                                           .padding = kernel / 2,
                                                           .groups = channels,
                                                           .bias = false}));
  norm_ = registerAt(*this, names.convolutionNorm, BatchNorm(channels));
}

torch::Tensor CvtProjectionImpl::forward(const torch::Tensor& map) {
  return tokensOf(convolution_->forward(map, *norm_));
}

CvtAttentionImpl::CvtAttentionImpl(const CvtAttentionOptions& options) : options_(options) {
  const CvtNames& names = options.names;
  const int channels = options.channels;
  const auto convolution = [&](const std::string& path, int stride) {
    return registerAt(*this, path, CvtProjection(names, channels, options.kernel, stride));
  };
  const auto linear = [&](const std::string& path) {
    return registerAt(*this, path, Linear(channels, channels, options.queryBias));
  };
  queryConvolution_ = convolution(names.queryConvolution, 1);
  keyConvolution_ = convolution(names.keyConvolution, keyStride);
  valueConvolution_ = convolution(names.valueConvolution, keyStride);
  query_ = linear(names.query);
  key_ = linear(names.key);
  value_ = linear(names.value);
  projection_ = registerAt(*this, names.projection, Linear(channels, channels));
}

torch::Tensor CvtAttentionImpl::project(const torch::Tensor& tokens, const torch::Tensor& map,
                                        CvtProjection& convolution, const Linear& linear) const {
  torch::Tensor patches = convolution->forward(map);
  if (options_.classToken) patches = at::cat({tokens.slice(1, 0, 1), patches}, 1);
  return splitHeads(linear->forward(patches), options_.heads);
}

torch::Tensor CvtAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                        Recorder* recorder) {
  const torch::Tensor map = mapOf(options_.classToken ? tokens.slice(1, 1) : tokens, grid);
  const torch::Tensor query = project(tokens, map, queryConvolution_, query_);
  const torch::Tensor key = project(tokens, map, keyConvolution_, key_);
  const torch::Tensor value = project(tokens, map, valueConvolution_, value_);
  const AttentionDescription description = describe(grid);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.channels));
  const torch::Tensor attended =
      options_.sima
          ? simaAttention(query, key, value, *options_.sima, options_.name, description, recorder)
          : softmaxAttention(query, key, value, scale, options_.name, description, recorder);
  return projection_->forward(
      joinTerms({attended, {}}, options_.name, projection_->weight, recorder));
}

AttentionDescription CvtAttentionImpl::describe(const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = options_.sima ? mechanismName(*options_.sima) : "softmax";
  description.queryGrid = grid;
  description.keyGrid = TokenGrid{strided(grid.height), strided(grid.width)};
  description.prefixTokens = options_.classToken ? 1 : 0;
  return description;
}

}  // namespace softscope
