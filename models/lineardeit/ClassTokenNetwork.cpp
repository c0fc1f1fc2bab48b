#include "models/lineardeit/ClassTokenNetwork.h"

#include "models/layers/OnlyInputSize.h"

namespace softscope {

namespace {

LayerNorm classTokenNorm(int channels) {
  return LayerNorm(channels, linearDeitNormEpsilon);
}

}  // namespace

ClassTokenNetwork::ClassTokenNetwork(const LinearDeitSizes& sizes,
                                     const MakeAttention& makeAttention)
    : pictureSide_(sizes.pictureSide()) {
  const int channels = sizes.channels;
  embedding_ = register_module("patch_embed", Group())->add("proj", patchEmbedding(sizes));
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  positions_ = register_parameter("pos_embed", torch::empty({1, 1 + sizes.patches(), channels}));
  Group blocks = register_module("blocks", Group());
  for (int block = 0; block < sizes.depth; ++block) {
    const std::string index = std::to_string(block);
    blocks_.push_back(blocks->add(
        index,
        TransformerBlock<LayerNorm>(makeAttention(block, "blocks." + index + ".attn"), channels,
                                    sizes.hidden, [&] { return classTokenNorm(channels); })));
  }
  norm_ = register_module("norm", classTokenNorm(channels));
  if (sizes.classes > 0) head_ = register_module("head", Linear(channels, sizes.classes));
}

torch::Tensor ClassTokenNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embedding_->forward(picture);
  const TokenGrid grid = gridOf(map);
  const torch::Tensor classToken = classToken_.expand({map.size(0), -1, -1});
  torch::Tensor tokens = at::cat({classToken, tokensOf(map)}, 1) + positions_;
  for (auto& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return answerEarly(tokens, grid);
}

torch::Tensor ClassTokenNetwork::answerEarly(const torch::Tensor& tokens, const TokenGrid&) {
  return head_.is_empty() ? torch::Tensor() : head_->forward(norm_->forward(tokens.select(1, 0)));
}

void ClassTokenNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

}  // namespace softscope
