#include "core/Error.h"
#include "core/attention/CirculantMap.h"
#include "core/network/NetworkModule.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Circulant attention of "Vision Transformers are Circulant Attention Learners", 2025. On a torus
/// of the patches, the scores of a channel are p[j - i] = softmax over all shifts of
/// n^(-1/2) sum_i q_i k_(i + shift), and a row is p shifted to its query. A gate multiplies A V.
class CirculantAttentionImpl : public StageAttention {
 public:
  CirculantAttentionImpl(const std::string& name, const LinearDeitSizes& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  void record(const torch::Tensor& kernels, const std::vector<torch::Tensor>& parts,
              const TokenGrid& grid, Recorder* recorder) const;

  Linear queryKeyValue_{nullptr};
  Linear gate_{nullptr};
  Linear projection_{nullptr};
};

/// CA-DeiT: DeiT without a class token and without positions but those of a convolution in each
/// block, with a head on the mean of all tokens. Takes grids that are squares.
class CirculantNetwork final : public NetworkModule {
 public:
  explicit CirculantNetwork(const LinearDeitSizes& sizes);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int patch_;
  Convolution embedding_{nullptr};
  std::vector<Convolution> positions_;
  std::vector<TransformerBlock<LayerNorm>> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

/// Returns sum_i x_i y_(i + shift) of maps [B, C, H, W] on a torus, for every shift.
torch::Tensor correlation(const torch::Tensor& x, const torch::Tensor& y) {
  return at::fft_irfft2(at::fft_rfft2(x).conj() * at::fft_rfft2(y), x.sizes().slice(2));
}

CirculantAttentionImpl::CirculantAttentionImpl(const std::string& name,
                                               const LinearDeitSizes& sizes)
    : StageAttention(name) {
  const int channels = sizes.channels;
  queryKeyValue_ = register_module("qkv", Linear(channels, 3 * channels, sizes.queryKeyValueBias));
  gate_ = register_module("gate", Group())->add("0", Linear(channels, channels));
  projection_ = register_module("proj", Linear(channels, channels));
}

void CirculantAttentionImpl::record(const torch::Tensor& kernels,
                                    const std::vector<torch::Tensor>& parts, const TokenGrid& grid,
                                    Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = "circulant";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.gated = true;
  description.beside =
      "a gate that multiplies each channel, and each channel has a matrix of its own";
  recorder->record(AttentionRecord{
      .layer = layer(),
      .description = std::move(description),
      .map =
          BuiltTensors{{kernels[0]},
                       [](const AttentionDescription& described, const BuiltTensors::Parts& built) {
                         return std::make_shared<CirculantMap>(described, built[0]);
                       }},
      .queryL1 = parts[0][0].abs().sum(-1).unsqueeze(0),
      .keyL1 = parts[1][0].abs().sum(-1).unsqueeze(0)});
}

torch::Tensor CirculantAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                              Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor scores = correlation(mapOf(parts[0], grid), mapOf(parts[1], grid)) /
                               std::sqrt(static_cast<double>(grid.count()));
  const torch::Tensor kernels = scores.flatten(2).softmax(-1).view_as(scores);
  if (recorder != nullptr) record(kernels, parts, grid, recorder);
  HeadTerms terms{tokensOf(correlation(kernels, mapOf(parts[2], grid))).unsqueeze(1), {}};
  terms.gate = at::silu(gate_->forward(tokens)).unsqueeze(1);
  return projection_->forward(joinTerms(terms, layer(), projection_->weight, recorder));
}

CirculantNetwork::CirculantNetwork(const LinearDeitSizes& sizes) : patch_(sizes.patch) {
  const int channels = sizes.channels;
  const auto makeNorm = [channels] { return LayerNorm(channels, linearDeitNormEpsilon); };
  embedding_ = register_module("patch_embed", Group())->add("proj", patchEmbedding(sizes));
  Group blocks = register_module("blocks", Group());
  for (int index = 0; index < sizes.depth; ++index) {
    const std::string name = std::to_string(index);
    const auto attention =
        std::make_shared<CirculantAttentionImpl>("blocks." + name + ".attn", sizes);
    TransformerBlock<LayerNorm> block(attention, channels, sizes.hidden, makeNorm);
    positions_.push_back(block->register_module("cpe", Convolution(depthwiseOptions(channels, 3))));
    blocks_.push_back(blocks->add(name, block));
  }
  norm_ = register_module("norm", makeNorm());
  if (sizes.classes > 0) head_ = register_module("head", Linear(channels, sizes.classes));
}

torch::Tensor CirculantNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map).contiguous();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    tokens = tokens + tokensOf(positions_[i]->forward(mapOf(tokens, grid)));
    tokens = blocks_[i]->forward(tokens, grid, recorder);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return head_->forward(norm_->forward(tokens).mean(1));
}

void CirculantNetwork::checkInputSize(int height, int width) const {
  requireWholePatches(height, width, patch_);
  if (height == width) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " does not fit CA-DeiT, whose published code takes squares alone, of at "
                        "least " +
                        std::to_string(patch_) + " x " + std::to_string(patch_));
}

constexpr PublishedLinearDeit publishedCirculantDeits[] = {
    {"ca_deit_tiny", 192, 1, 224}, {"ca_deit_small", 384, 1, 224}, {"ca_deit_base", 768, 1, 224}};

/// Returns the name of a gate's parameter, by which files are recognised.
std::optional<std::string> circulantMark(const StateDict& state) {
  return parameterOfBlocks(state, {".attn.gate.0.weight"}, 2);
}

DefinedModel defineCirculantDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = circulantMark(state)) requireNetworkForm("circulant", "DeiT", *mark);
  requireOnly("CA-DeiT", "circulant", hints);
  LinearDeitSizes sizes = readLinearDeitSizes(ShapeReader(state, "CA-DeiT"), 0);
  sizes.heads = 1;
  requireHeadsOfWeights("CA-DeiT, whose channels are its heads,", sizes.heads, hints);
  ModelSummary summary = summaryOf(sizes, "ca_deit", "circulant");
  summary.variant = linearDeitVariant(publishedCirculantDeits, sizes);
  resolveUsualLayers("CA-DeiT", linearDeitNormEpsilon, summary.isPublished(), hints, summary);
  summary.reason =
      "Names and shapes are those of CA-DeiT: attn.gate is its alone. Every channel has a matrix "
      "of its own; what is shown is their mean.";
  return {std::move(summary), std::make_shared<CirculantNetwork>(sizes)};
}

}  // namespace

Family circulantDeitFamily() {
  return {.name = "ca_deit",
          .networks = "CA-DeiT",
          .attention = "circulant",
          .recognises = [](const StateDict& state) { return circulantMark(state).has_value(); },
          .define = defineCirculantDeit};
}

}  // namespace softscope
