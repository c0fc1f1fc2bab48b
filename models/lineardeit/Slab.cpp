#include "core/Error.h"
#include "core/network/NetworkModule.h"
#include "models/attention/FactoredAttention.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Re-parameterised batch norm of "SLAB: Efficient Transformers with Simplified Linear Attention
/// and Progressive Re-parameterized Batch Normalization", 2024: BN(x) + alpha x over the channels
/// of tokens [B, n, C]. Parameters `norm2.alpha` [1] and `norm2.bn`; the layer norm that training
/// starts from is still in files, but unused.
class ReparameterisedNormImpl : public torch::nn::Module {
 public:
  explicit ReparameterisedNormImpl(int channels);
  torch::Tensor forward(const torch::Tensor& tokens);

 private:
  torch::Tensor alpha_;
  BatchNorm norm_{nullptr};
};

TORCH_MODULE(ReparameterisedNorm);

/// SLAB's simplified linear attention: A_ij = relu(q_i) . relu(k_j) / (relu(q_i) . sum relu(k) +
/// 1e-6), after adding a table of positions to the keys. A 5 x 5 convolution of V is added, with a
/// filter for each of a head's channels, shared by all heads.
class SimplifiedAttentionImpl : public StageAttention {
 public:
  SimplifiedAttentionImpl(const std::string& name, const LinearDeitSizes& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  int heads_;
  torch::Tensor positions_;
  Linear queryKeyValue_{nullptr};
  Linear projection_{nullptr};
  Convolution convolution_{nullptr};
};

/// SLAB-DeiT: DeiT without a class token, with SLAB's attention and norms, and a head on the mean
/// of all tokens. Only takes pictures of the size that its positions are for.
class SlabNetwork final : public NetworkModule {
 public:
  explicit SlabNetwork(const LinearDeitSizes& sizes);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int pictureSide_;
  Convolution embedding_{nullptr};
  torch::Tensor positions_;
  std::vector<TransformerBlock<ReparameterisedNorm>> blocks_;
  ReparameterisedNorm norm_{nullptr};
  Linear head_{nullptr};
};

constexpr int simplifiedFilterSide = 5;
/// Added to the divisors of rows.
constexpr double simplifiedEpsilon = 1e-6;

ReparameterisedNormImpl::ReparameterisedNormImpl(int channels) {
  Group norm = register_module("norm2", Group());
  alpha_ = norm->register_parameter("alpha", torch::empty({1}));
  norm_ = norm->add("bn", BatchNorm(channels));
}

torch::Tensor ReparameterisedNormImpl::forward(const torch::Tensor& tokens) {
  return norm_->forward(tokens.flatten(0, -2)).view_as(tokens) + alpha_ * tokens;
}

SimplifiedAttentionImpl::SimplifiedAttentionImpl(const std::string& name,
                                                 const LinearDeitSizes& sizes)
    : StageAttention(name), heads_(sizes.heads) {
  const int channels = sizes.channels;
  const int width = channels / sizes.heads;
  positions_ =
      register_parameter("positional_encoding", torch::empty({1, sizes.patches(), channels}));
  queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, sizes.queryKeyValueBias));
  projection_ = register_module("proj", Linear(channels, channels));
  convolution_ =
      register_module("dwc", Convolution(ConvolutionOptions{.inputs = width,
                                                            .outputs = width,
                                                            .kernel = simplifiedFilterSide,
                                                            .padding = simplifiedFilterSide / 2,
                                                            .groups = width}));
}

torch::Tensor SimplifiedAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                               Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor key = splitHeads(parts[1] + positions_, heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  const torch::Tensor left = at::relu(query);
  const torch::Tensor right = at::relu(key);
  AttentionDescription description;
  description.mechanism = "slab";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.filtersChannels = true;
  const torch::Tensor attended = attendWithFactors(
      {left, right, query, key, sumsAnd(simplifiedEpsilon)}, value, layer(), description, recorder);
  const HeadTerms terms{attended, filterChannels(convolution_, value, grid)};
  return projection_->forward(joinTerms(terms, layer(), projection_->weight, recorder));
}

SlabNetwork::SlabNetwork(const LinearDeitSizes& sizes) : pictureSide_(sizes.pictureSide()) {
  const int channels = sizes.channels;
  embedding_ = register_module("patch_embed", Group())->add("proj", patchEmbedding(sizes));
  positions_ = register_parameter("pos_embed", torch::empty({1, sizes.patches(), channels}));
  Group blocks = register_module("blocks", Group());
  for (int block = 0; block < sizes.depth; ++block) {
    const std::string index = std::to_string(block);
    const auto attention =
        std::make_shared<SimplifiedAttentionImpl>("blocks." + index + ".attn", sizes);
    blocks_.push_back(blocks->add(
        index, TransformerBlock<ReparameterisedNorm>(attention, channels, sizes.hidden, [&] {
          return ReparameterisedNorm(channels);
        })));
  }
  norm_ = register_module("norm", ReparameterisedNorm(channels));
  if (sizes.classes > 0) head_ = register_module("head", Linear(channels, sizes.classes));
}

torch::Tensor SlabNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map) + positions_;
  for (auto& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return head_->forward(norm_->forward(tokens).mean(1));
}

void SlabNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

constexpr PublishedLinearDeit publishedSlabDeits[] = {{"slab_deit_tiny", 192, 3, 224},
                                                      {"slab_deit_small", 384, 6, 224}};

/// Returns the name of the factor with which norms add their input, by which files are recognised.
std::optional<std::string> slabMark(const StateDict& state) {
  return parameterOfBlocks(state, {".norm1.norm2.alpha", ".norm2.norm2.alpha"}, 1);
}

LinearDeitSizes readSlabSizes(const ShapeReader& shapes, const ModelHints& hints) {
  if (!shapes.any("blocks.", ".attn.dwc.weight") && !shapes.any("blocks.", ".attn.dwc.bias")) {
    throw ModelError(
        "this is DeiT with SLAB's batch norms and softmax attention (no block has an attn.dwc), "
        "which Softscope does not open; it opens SLAB-DeiT; " +
        recordingAdvice());
  }
  LinearDeitSizes sizes = readLinearDeitSizes(shapes, 0);
  const auto width = sizeInBlocks(shapes, {"attn.dwc.weight", "attn.dwc.bias"}, 0);
  sizes.heads = headsOfWidth("SLAB-DeiT", sizes.channels, shapes.require(width, "its heads"));
  requireHeadsOfWeights("SLAB-DeiT", sizes.heads, hints);
  return sizes;
}

DefinedModel defineSlabDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = slabMark(state)) requireNetworkForm("SLAB", "DeiT", *mark);
  requireOnly("SLAB-DeiT", "slab", hints);
  const LinearDeitSizes sizes = readSlabSizes(ShapeReader(state, "SLAB-DeiT"), hints);
  ModelSummary summary = summaryOf(sizes, "slab_deit", "slab");
  summary.variant = linearDeitVariant(publishedSlabDeits, sizes);
  resolveUsualLayers("SLAB-DeiT", 0, summary.isPublished(), hints, summary);
  summary.reason =
      "Names and shapes are those of SLAB-DeiT: the alpha of its norms is its alone, and attn.dwc "
      "tells the heads.";
  return {std::move(summary), std::make_shared<SlabNetwork>(sizes)};
}

}  // namespace

Family slabDeitFamily() {
  return {.name = "slab_deit",
          .networks = "SLAB-DeiT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return slabMark(state).has_value(); },
          .define = defineSlabDeit,
          .trainable = {},
          .harmless = {
              "cls_token",  // unused, left over from DeiT: the head is on the mean of all tokens
              "*norm?.norm1.*", "norm.norm1.*",  // layer norms, replaced by batch norms in training
              "*.warm", "*.iter", "*.total_step",  // progress of that replacement
          }};
}

}  // namespace softscope
