#include "models/linearpvt/LinearPvtNetwork.h"

#include "models/layers/OnlyInputSize.h"

#include <string>

namespace softscope {

namespace {

constexpr double pvtEmbeddingEpsilon = 1e-5;
constexpr double pvtBlockEpsilon = 1e-6;

}  // namespace

LinearPvtNetwork::LinearPvtNetwork(const LinearPvtConfiguration& configuration,
                                   const MakeAttention& makeAttention)
    : pictureSide_(configuration.pictureSide()) {
  for (std::size_t index = 0; index < configuration.stages.size(); ++index) {
    stages_.push_back(makeStage(index, configuration, makeAttention));
  }
  if (configuration.classes == 0) return;
  head_ =
      register_module("head", Linear(configuration.stages.back().channels, configuration.classes));
}

LinearPvtNetwork::Stage LinearPvtNetwork::makeStage(std::size_t index,
                                                    const LinearPvtConfiguration& configuration,
                                                    const MakeAttention& makeAttention) {
  const LinearPvtStage& sizes = configuration.stages[index];
  const std::string number = std::to_string(index + 1);
  const int channels = sizes.channels;
  Stage stage;
  Group embedding = register_module("patch_embed" + number, Group());
  stage.embedding = embedding->add(
      "proj", Convolution(ConvolutionOptions{
                  .inputs = index == 0 ? 3 : configuration.stages[index - 1].channels,
                  .outputs = channels,
                  .kernel = sizes.patch,
                  .stride = sizes.patch}));
  stage.norm = embedding->add("norm", LayerNorm(channels, pvtEmbeddingEpsilon));
  stage.positions = register_parameter("pos_embed" + number,
                                       torch::empty({1, sizes.side * sizes.side, channels}));
  Group blocks = register_module("block" + number, Group());
  for (int block = 0; block < sizes.depth; ++block) {
    const std::string name = std::to_string(block);
    const int ratio = sizes.ratios[static_cast<std::size_t>(block)];
    const int keySide = sizes.side / ratio;
    const auto attention = makeAttention({.name = "block" + number + "." + name + ".attn",
                                          .channels = channels,
                                          .heads = sizes.heads,
                                          .ratio = ratio,
                                          .keys = keySide * keySide,
                                          .bias = configuration.bias});
    stage.blocks.push_back(blocks->add(
        name, TransformerBlock<LayerNorm>(attention, channels, sizes.hidden,
                                          [&] { return LayerNorm(channels, pvtBlockEpsilon); })));
  }
  return stage;
}

torch::Tensor LinearPvtNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = picture;
  for (Stage& stage : stages_) {
    map = stage.embedding->forward(map);
    const TokenGrid grid{static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
    torch::Tensor tokens = stage.norm->forward(tokensOf(map).contiguous()) + stage.positions;
    for (auto& block : stage.blocks) tokens = block->forward(tokens, grid, recorder);
    map = mapOf(tokens, grid);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(map); });
    return {};
  }
  return head_->forward(map.mean(at::IntArrayRef{2, 3}));
}

void LinearPvtNetwork::checkInputSize(int height, int width) const {
  requireOnlyInputSize(height, width, pictureSide_);
}

}  // namespace softscope
