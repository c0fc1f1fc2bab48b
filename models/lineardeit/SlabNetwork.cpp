#include "models/lineardeit/SlabNetwork.h"

#include "models/attention/FactoredAttention.h"
#include "models/layers/HeadMaps.h"
#include "models/layers/OnlyInputSize.h"

#include <memory>

namespace softscope {

namespace {

constexpr int simplifiedFilterSide = 5;
/// Added to the divisors of rows.
constexpr double simplifiedEpsilon = 1e-6;

}  // namespace

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
  const TokenGrid grid{static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
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

}  // namespace softscope
