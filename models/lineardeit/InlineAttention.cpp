#include "models/lineardeit/InlineAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"

#include <vector>

namespace softscope {

namespace {

constexpr int dynamicFilterSide = 3;

/// Returns L = [s q, 1 - s q . mean k] / n and R = [k, 1].
FactoredAttention injectiveFactors(const torch::Tensor& query, const torch::Tensor& key) {
  const auto tokens = static_cast<double>(key.size(-2));
  const torch::Tensor scaled = query * inverseRootOfWidth(query);
  const torch::Tensor towardsMean = at::matmul(scaled, key.mean(-2, true).transpose(-1, -2));
  return {at::cat({scaled, 1 - towardsMean}, -1) / tokens,
          at::cat({key, at::ones_like(key.slice(-1, 0, 1))}, -1), query, key};
}

}  // namespace

HeadLinearImpl::HeadLinearImpl(int inputs, int outputs, int heads) : heads_(heads) {
  weight_ = register_parameter("weight", torch::empty({outputs, inputs / heads, 1}));
  bias_ = register_parameter("bias", torch::empty({outputs}));
}

torch::Tensor HeadLinearImpl::forward(const torch::Tensor& x) const {
  return at::conv1d(x.unsqueeze(-1), weight_, bias_, 1, at::IntArrayRef{0}, 1, heads_).squeeze(-1);
}

InlineAttentionImpl::InlineAttentionImpl(const std::string& name, int channels, int heads,
                                         bool queryKeyValueBias)
    : StageAttention(name), heads_(heads) {
  queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, queryKeyValueBias));
  projection_ = register_module("proj", Linear(channels, channels));
  Group residual = register_module("residual", Group());
  expandMean_ = residual->add("0", HeadLinear(channels, channels, heads));
  makeFilters_ = residual->add(
      "2", HeadLinear(channels, channels * dynamicFilterSide * dynamicFilterSide, heads));
}

torch::Tensor InlineAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                           Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  AttentionDescription description;
  description.mechanism = "inline";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = 1;
  description.filtersChannels = true;
  const torch::Tensor attended =
      attendWithFactors(injectiveFactors(query, key), value, layer(), description, recorder);
  const HeadTerms terms{attended, convolve(value, tokens, grid)};
  return projection_->forward(joinTerms(terms, layer(), projection_->weight, recorder));
}

torch::Tensor InlineAttentionImpl::convolve(const torch::Tensor& value, const torch::Tensor& tokens,
                                            const TokenGrid& grid) const {
  const std::int64_t batch = tokens.size(0);
  const std::int64_t channels = tokens.size(2);
  const torch::Tensor filters =
      makeFilters_->forward(at::gelu(expandMean_->forward(tokens.mean(1))))
          .view({batch * channels, 1, dynamicFilterSide, dynamicFilterSide});
  // Every picture has its own filters, so the batch becomes part of the channels.
  const torch::Tensor map = mapOf(joinHeads(value).slice(1, 1), grid)
                                .reshape({1, batch * channels, grid.height, grid.width});
  const torch::Tensor convolved =
      at::conv2d(map, filters, {}, 1, dynamicFilterSide / 2, 1, batch * channels);
  const torch::Tensor patches =
      tokensOf(convolved.reshape({batch, channels, grid.height, grid.width}));
  return splitHeads(at::constant_pad_nd(patches, {0, 0, 1, 0}), heads_);
}

}  // namespace softscope
