#include "models/attention/FactoredAttention.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Layers.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/ClassTokenNetwork.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// A separate linear layer for each head: y_h = x_h W_h^T + b_h. Parameters `weight` [outputs,
/// inputs / heads, 1] and `bias` [outputs].
class HeadLinearImpl : public torch::nn::Module {
 public:
  HeadLinearImpl(int inputs, int outputs, int heads);
  /// Maps [B, inputs] to [B, outputs].
  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  int heads_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

TORCH_MODULE(HeadLinear);

/// Injective linear attention with local attention, of "Bridging the Divide: Reconsidering Softmax
/// and Linear Attention", 2024: A_ij = (s q_i . k_j + 1 - s q_i . mean k) / n with s = d^(-1/2),
/// whose rows sum to one without a division. Added to it is a 3 x 3 convolution of the patches' V
/// with one filter per channel, which an mlp generates from the mean of all tokens.
class InlineAttentionImpl : public StageAttention {
 public:
  InlineAttentionImpl(const std::string& name, int channels, int heads, bool queryKeyValueBias);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  /// Convolves V [B, heads, 1 + n, d] with filters generated from `tokens`; the result has the same
  /// shape, with zeros for the class token.
  torch::Tensor convolve(const torch::Tensor& value, const torch::Tensor& tokens,
                         const TokenGrid& grid) const;

  int heads_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  HeadLinear expandMean_{nullptr};
  HeadLinear makeFilters_{nullptr};
};

constexpr int dynamicFilterSide = 3;

/// Returns L = [s q, 1 - s q . mean k] / n and R = [k, 1].
FactoredAttention injectiveFactors(const torch::Tensor& query, const torch::Tensor& key) {
  const auto tokens = static_cast<double>(key.size(-2));
  const torch::Tensor scaled = query * inverseRootOfWidth(query);
  const torch::Tensor towardsMean = at::matmul(scaled, key.mean(-2, true).transpose(-1, -2));
  return {at::cat({scaled, 1 - towardsMean}, -1) / tokens,
          at::cat({key, at::ones_like(key.slice(-1, 0, 1))}, -1), query, key};
}

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

constexpr PublishedLinearDeit publishedInlineDeits[] = {{"inline_deit_tiny_224", 192, 6, 224},
                                                        {"inline_deit_small_288", 320, 10, 288},
                                                        {"inline_deit_base_448", 384, 12, 448}};

/// Returns the name of a parameter that generates the filters of the convolution beside the
/// attention, by which files are recognised.
std::optional<std::string> inlineMark(const StateDict& state) {
  return parameterOfBlocks(state, {".residual.0.weight", ".residual.2.weight"}, 3);
}

LinearDeitSizes readInlineSizes(const ShapeReader& shapes, const ModelHints& hints) {
  LinearDeitSizes sizes = readLinearDeitSizes(shapes, 1);
  const auto width = sizeInBlocks(shapes, {"attn.residual.0.weight", "attn.residual.2.weight"}, 1);
  sizes.heads = headsOfWidth("InLine-DeiT", sizes.channels, shapes.require(width, "its heads"));
  requireHeadsOfWeights("InLine-DeiT", sizes.heads, hints);
  return sizes;
}

DefinedModel defineInlineDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = inlineMark(state)) requireNetworkForm("InLine", "DeiT", *mark);
  requireOnly("InLine-DeiT", "inline", hints);
  const LinearDeitSizes sizes = readInlineSizes(ShapeReader(state, "InLine-DeiT"), hints);
  ModelSummary summary = summaryOf(sizes, "inline_deit", "inline");
  summary.transform.extent = InputTransform::Extent::SqueezedCrop;
  summary.variant = linearDeitVariant(publishedInlineDeits, sizes);
  resolveUsualLayers("InLine-DeiT", linearDeitNormEpsilon, summary.isPublished(), hints, summary);
  summary.reason =
      "Names and shapes are those of InLine-DeiT: attn.residual is its alone, and tells the heads.";
  const auto attention = [&](int, const std::string& name) {
    return std::make_shared<InlineAttentionImpl>(name, sizes.channels, sizes.heads,
                                                 sizes.queryKeyValueBias);
  };
  return {std::move(summary), std::make_shared<ClassTokenNetwork>(sizes, attention)};
}

}  // namespace

Family inlineDeitFamily() {
  return {.name = "inline_deit",
          .networks = "InLine-DeiT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return inlineMark(state).has_value(); },
          .define = defineInlineDeit,
          .trainable = {}};
}

}  // namespace softscope
