#include "models/linearpvt/PvtAttention.h"

#include "models/layers/HeadMaps.h"

#include <vector>

namespace softscope {

namespace {

constexpr double reductionEpsilon = 1e-5;
/// Added to the divisors of rows.
constexpr double meanEpsilon = 1e-6;

}  // namespace

PvtAttentionImpl::PvtAttentionImpl(const PvtAttentionOptions& options)
    : StageAttention(options.name), options_(options) {
  const int channels = options.channels;
  const int width = channels / options.heads;
  keyValue_ = register_module("kv", Linear(channels, 2 * channels, options.bias));
  projection_ = register_module("proj", Linear(channels, channels));
  if (options.ratio > 1) {
    reduction_ = register_module("sr", Convolution(ConvolutionOptions{.inputs = channels,
                                                                      .outputs = channels,
                                                                      .kernel = options.ratio,
                                                                      .stride = options.ratio}));
    reductionNorm_ = register_module("norm", LayerNorm(channels, reductionEpsilon));
  }
  convolution_ =
      register_module("dwc", Convolution(ConvolutionOptions{.inputs = width,
                                                            .outputs = width,
                                                            .kernel = options.filter,
                                                            .padding = options.filter / 2,
                                                            .groups = width}));
  positions_ = register_parameter("positional_encoding", torch::empty({1, options.keys, channels}));
  scale_ = register_parameter("scale", torch::empty({1, 1, channels}));
}

PvtAttentionImpl::KeysAndValues PvtAttentionImpl::keysAndValues(const torch::Tensor& tokens,
                                                                const TokenGrid& grid) {
  torch::Tensor reduced = tokens;
  if (!reduction_.is_empty()) {
    const torch::Tensor map = reduction_->forward(mapOf(tokens, grid));
    reduced = reductionNorm_->forward(tokensOf(map).contiguous());
  }
  const std::vector<torch::Tensor> parts = keyValue_->forward(reduced).chunk(2, -1);
  return {parts[0] + positions_, parts[1]};
}

torch::Tensor PvtAttentionImpl::convolve(const torch::Tensor& values, const TokenGrid& grid) const {
  torch::Tensor stretched = values;
  if (values.size(1) != grid.count()) {
    // As published: along the sequence of tokens, not on the grid.
    stretched =
        at::upsample_linear1d(values.transpose(1, 2), {grid.count()}, false).transpose(1, 2);
  }
  return joinHeads(filterChannels(convolution_, splitHeads(stretched, options_.heads), grid));
}

torch::Tensor PvtAttentionImpl::lengths() const {
  return at::softplus(scale_);
}

AttentionDescription PvtAttentionImpl::describe(const char* mechanism,
                                                const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = mechanism;
  description.queryGrid = grid;
  description.keyGrid = TokenGrid{grid.height / options_.ratio, grid.width / options_.ratio};
  description.filtersChannels = true;
  return description;
}

torch::Tensor normalisedByMean(const torch::Tensor& queries, const torch::Tensor& keys) {
  const torch::Tensor sums = at::matmul(queries, keys.mean(-2, true).transpose(-1, -2));
  return queries / ((sums + meanEpsilon) * static_cast<double>(keys.size(-2)));
}

}  // namespace softscope
