#include "core/Error.h"
#include "core/attention/BlockMixedMap.h"
#include "core/network/NetworkModule.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/identify/StoredOptions.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/TransformerBlock.h"
#include "models/lineardeit/LinearDeitSizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

constexpr int mhlaHeadWidth = 64;
constexpr int mhlaFilterSide = 5;
constexpr int mhlaPublishedSide = 16;  ///< of the grid
/// Added to features, and to the divisors of rows.
constexpr double mhlaEpsilon = 1e-6;

/// Sizes of an MHLA-DeiT beyond those of any DeiT.
struct MhlaSizes {
  LinearDeitSizes deit;
  int blocksPerSide = 1;                                           ///< of the grid
  int tokensPerSide() const { return deit.side / blocksPerSide; }  ///< of a block
};

/// Linear attention whose blocks of tokens are mixed by a learned matrix W ("MHLA: Restoring
/// Expressivity of Linear Attention via Token-Level Multi-Head", 2026). The published code divides
/// the row of token i by 1e-6 + sum_p W[b(i), p] q_t . sum of k in p, where t is not i but the
/// token at i's place inside block p; rows therefore do not sum to 1.
class MhlaAttentionImpl : public StageAttention {
 public:
  MhlaAttentionImpl(const std::string& name, const MhlaSizes& sizes);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  torch::Tensor features(const torch::Tensor& x, const torch::Tensor& weight) const;
  /// Arranges tokens [B, heads, n, d] by blocks, [B, heads, P, tokens of a block, d], and back.
  torch::Tensor inBlocks(const torch::Tensor& tokens) const;
  torch::Tensor fromBlocks(const torch::Tensor& blocks) const;
  void record(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& divided,
              const TokenGrid& grid, Recorder* recorder) const;

  MhlaSizes sizes_;
  LayerNorm norm_{nullptr};
  Linear queryKeyValue_{nullptr};
  torch::Tensor queryWeight_;
  torch::Tensor keyWeight_;
  Convolution positions_{nullptr};
  torch::Tensor mixing_;  ///< W, [P, P, 1, 1]
  Linear projection_{nullptr};
};

/// MHLA-DeiT: DeiT without a class token, with a head on the normalised mean of all tokens.
class MhlaNetwork final : public NetworkModule {
 public:
  explicit MhlaNetwork(const MhlaSizes& sizes);

  torch::Tensor forward(const torch::Tensor& picture, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;

 private:
  int pictureSide_;
  Convolution embedding_{nullptr};
  torch::Tensor positions_;
  std::vector<TransformerBlock<LayerNorm>> blocks_;
  LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

MhlaAttentionImpl::MhlaAttentionImpl(const std::string& name, const MhlaSizes& sizes)
    : StageAttention(name), sizes_(sizes) {
  const int channels = sizes.deit.channels;
  const int blocks = sizes.blocksPerSide * sizes.blocksPerSide;
  norm_ = register_module("norm", LayerNorm(channels, 1e-5));
  queryKeyValue_ =
      register_module("to_qkv", Linear(channels, 3 * channels, sizes.deit.queryKeyValueBias));
  queryWeight_ = registerParameterAt(*this, "q_norm.weight", {channels});
  keyWeight_ = registerParameterAt(*this, "k_norm.weight", {channels});
  positions_ = register_module("lepe", Convolution(depthwiseOptions(channels, mhlaFilterSide)));
  mixing_ = registerParameterAt(*this, "piece_attn.conv.weight", {blocks, blocks, 1, 1});
  projection_ = register_module("to_out", Group())->add("0", Linear(channels, channels));
}

torch::Tensor MhlaAttentionImpl::features(const torch::Tensor& x,
                                          const torch::Tensor& weight) const {
  const torch::Tensor scale =
      (x.square().mean(-1, true) + double(std::numeric_limits<float>::epsilon())).rsqrt();
  return splitHeads(at::relu(x * scale * weight) + mhlaEpsilon, sizes_.deit.heads);
}

torch::Tensor MhlaAttentionImpl::inBlocks(const torch::Tensor& tokens) const {
  const std::int64_t blocks = sizes_.blocksPerSide;
  const std::int64_t side = sizes_.tokensPerSide();
  return tokens.reshape({tokens.size(0), tokens.size(1), blocks, side, blocks, side, -1})
      .transpose(3, 4)
      .reshape({tokens.size(0), tokens.size(1), blocks * blocks, side * side, -1});
}

torch::Tensor MhlaAttentionImpl::fromBlocks(const torch::Tensor& blocks) const {
  const std::int64_t count = sizes_.blocksPerSide;
  const std::int64_t side = sizes_.tokensPerSide();
  return blocks.reshape({blocks.size(0), blocks.size(1), count, count, side, side, -1})
      .transpose(3, 4)
      .reshape({blocks.size(0), blocks.size(1), count * count * side * side, -1});
}

void MhlaAttentionImpl::record(const torch::Tensor& query, const torch::Tensor& key,
                               const torch::Tensor& divided, const TokenGrid& grid,
                               Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = "mhla";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.filtersChannels = true;
  const int blocksPerSide = sizes_.blocksPerSide;
  const int side = sizes_.tokensPerSide();
  const auto build = [blocksPerSide, side](const AttentionDescription& described,
                                           const BuiltTensors::Parts& parts) {
    const TokenGrid tokens = described.queryGrid.value();
    std::vector<int> blocks;
    for (int token = 0; token < tokens.count(); ++token) {
      blocks.push_back(token / tokens.width / side * blocksPerSide + token % tokens.width / side);
    }
    return std::make_shared<BlockMixedMap>(described, parts[0], parts[1], parts[2][0],
                                           std::move(blocks));
  };
  recorder->record(AttentionRecord{
      .layer = layer(),
      .description = std::move(description),
      .map = BuiltTensors{{divided[0], key[0], mixing_.flatten(1).unsqueeze(0)}, build},
      .queryL1 = query[0].abs().sum(-1),
      .keyL1 = key[0].abs().sum(-1)});
}

torch::Tensor MhlaAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                         Recorder* recorder) {
  const std::vector<torch::Tensor> parts =
      queryKeyValue_->forward(norm_->forward(tokens)).chunk(3, -1);
  const torch::Tensor query = features(parts[0], queryWeight_);
  const torch::Tensor key = features(parts[1], keyWeight_);
  const torch::Tensor queries = inBlocks(query);
  const torch::Tensor keys = inBlocks(key);
  const torch::Tensor values = inBlocks(splitHeads(parts[2], sizes_.deit.heads));
  const torch::Tensor mixing = mixing_.flatten(1);
  const torch::Tensor ownSums = at::matmul(queries, keys.sum(3).unsqueeze(-1)).squeeze(-1);
  const torch::Tensor divisor = (at::matmul(mixing, ownSums) + mhlaEpsilon).unsqueeze(-1);
  const torch::Tensor states = at::matmul(keys.transpose(-1, -2), values);
  const torch::Tensor mixed = at::matmul(mixing, states.flatten(3)).view_as(states);
  const torch::Tensor attended = fromBlocks(at::matmul(queries, mixed) / divisor);
  if (recorder != nullptr) record(query, key, fromBlocks(queries / divisor), grid, recorder);
  const torch::Tensor beside = tokensOf(positions_->forward(mapOf(parts[2], grid)));
  const HeadTerms terms{attended, splitHeads(beside, sizes_.deit.heads)};
  return projection_->forward(joinTerms(terms, layer(), projection_->weight, recorder));
}

MhlaNetwork::MhlaNetwork(const MhlaSizes& sizes) : pictureSide_(sizes.deit.pictureSide()) {
  const int channels = sizes.deit.channels;
  const auto makeNorm = [channels] { return LayerNorm(channels, linearDeitNormEpsilon); };
  embedding_ = register_module("patch_embed", Group())->add("proj", patchEmbedding(sizes.deit));
  positions_ = register_parameter("pos_embed", torch::empty({1, sizes.deit.patches(), channels}));
  Group blocks = register_module("blocks", Group());
  for (int index = 0; index < sizes.deit.depth; ++index) {
    const std::string name = std::to_string(index);
    const auto attention = std::make_shared<MhlaAttentionImpl>("blocks." + name + ".attn", sizes);
    blocks_.push_back(blocks->add(
        name, TransformerBlock<LayerNorm>(attention, channels, sizes.deit.hidden, makeNorm)));
  }
  norm_ = register_module("fc_norm", makeNorm());
  if (sizes.deit.classes > 0) head_ = register_module("head", Linear(channels, sizes.deit.classes));
}

torch::Tensor MhlaNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const std::int64_t down = pictureSide_ - picture.size(2);
  const std::int64_t right = pictureSide_ - picture.size(3);
  const std::int64_t left = right / 2;
  const std::int64_t top = down / 2;
  if (recorder != nullptr && (down > 0 || right > 0)) {
    recorder->recordSeen({-double(left), -double(top), double(pictureSide_), double(pictureSide_)});
  }
  const torch::Tensor map =
      embedding_->forward(at::constant_pad_nd(picture, {left, right - left, top, down - top}));
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map) + positions_;
  for (auto& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }
  return head_->forward(norm_->forward(tokens.mean(1)));
}

void MhlaNetwork::checkInputSize(int height, int width) const {
  if (std::min(height, width) > 0 && std::max(height, width) <= pictureSide_) return;
  const std::string side = std::to_string(pictureSide_);
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " does not fit this model, whose positions are for pictures of at most " +
                        side + " x " + side + ", with zeros around smaller ones");
}

/// With zeros around them, as published evaluations have it.
constexpr PublishedLinearDeit publishedMhlaDeits[] = {{"mhla_deit_tiny", 192, 3, 256},
                                                      {"mhla_deit_small", 384, 6, 256},
                                                      {"mhla_deit_base", 768, 12, 256}};

/// Returns the name of a matrix that mixes blocks, by which files are recognised.
std::optional<std::string> mhlaMark(const StateDict& state) {
  return parameterOfBlocks(state, {".attn.piece_attn.conv.weight"}, 4);
}

MhlaSizes readMhlaSizes(const StateDict& state) {
  const ShapeReader shapes(state, "MHLA-DeiT");
  MhlaSizes sizes;
  sizes.deit = readLinearDeitSizes(shapes, 0, mhlaPublishedSide);
  sizes.deit.queryKeyValueBias = shapes.any("blocks.", ".attn.to_qkv.bias");
  const int blocks = shapes.require(sizeInBlocks(shapes, {"attn.piece_attn.conv.weight"}, 0),
                                    "its blocks of tokens");
  sizes.blocksPerSide = std::max(1, static_cast<int>(std::lround(std::sqrt(double(blocks)))));
  if (sizes.blocksPerSide * sizes.blocksPerSide != blocks ||
      sizes.deit.side % sizes.blocksPerSide != 0) {
    throw ModelError("its " + std::to_string(blocks) +
                     " blocks of tokens do not divide a grid of " +
                     std::to_string(sizes.deit.side) + " x " + std::to_string(sizes.deit.side) +
                     " into squares; the file may be damaged, or of MHLA for other than pictures");
  }
  return sizes;
}

ResolvedHeads mhlaHeads(int channels, const ModelHints& hints) {
  DefaultHeads usual = channels % mhlaHeadWidth == 0
                           ? certainHeads(channels / mhlaHeadWidth, "as in published networks")
                           : assumedHeads(channels, "MHLA-DeiT");
  usual.possible = possibleHeads(channels);
  return resolveHeads(channels, usual, hints);
}

DefinedModel defineMhlaDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = mhlaMark(state)) requireNetworkForm("MHLA", "DeiT", *mark);
  requireOnly("MHLA-DeiT", "mhla", hints);
  MhlaSizes sizes = readMhlaSizes(state);
  const ResolvedHeads heads = mhlaHeads(sizes.deit.channels, hints);
  sizes.deit.heads = heads.heads;
  ModelSummary summary = summaryOf(sizes.deit, "mhla_deit", "mhla");
  summary.variant = linearDeitVariant(publishedMhlaDeits, sizes.deit);
  resolveUsualLayers("MHLA-DeiT", linearDeitNormEpsilon, summary.isPublished(), hints, summary);
  summary.reason =
      "Names and shapes are those of MHLA-DeiT: attn.piece_attn, which mixes blocks of tokens, is "
      "its alone.";
  describeHeads(heads, summary);
  // Published networks see 14 x 14 patches, with zeros around them up to 16 x 16.
  summary.transform.height = summary.transform.width = sizes.deit.pictureSide() * 7 / 8;
  return {std::move(summary), std::make_shared<MhlaNetwork>(sizes)};
}

}  // namespace

Family mhlaDeitFamily() {
  return {.name = "mhla_deit",
          .networks = "MHLA-DeiT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return mhlaMark(state).has_value(); },
          .define = defineMhlaDeit};
}

}  // namespace softscope
