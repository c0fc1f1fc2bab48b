#include "models/xcit/XcitNetwork.h"

#include "models/layers/OnlyInputSize.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <string>

namespace softscope {

namespace {

/// Number of entries in the Fourier code of one axis.
constexpr int codeWidth = 32;

/// Returns sin and cos of p / 10000^(2 floor(i / 2) / 32), p = 2 pi (1..count) / count: [count,
/// 32].
torch::Tensor fourierCode(int count, const torch::TensorOptions& options) {
  constexpr double pi = 3.14159265358979323846;
  const torch::Tensor places = at::arange(1, count + 1, options).div(count + 1e-6).mul(2 * pi);
  const torch::Tensor exponents = at::arange(codeWidth / 2, options).mul(2.0 / codeWidth);
  const torch::Tensor angles = places.unsqueeze(1) / at::pow(10000.0, exponents);
  return at::stack({angles.sin(), angles.cos()}, 2).flatten(1);
}

}  // namespace

XcitNetwork::XcitNetwork(const XcitConfiguration& configuration) : configuration_(configuration) {
  const int channels = configuration.channels;
  addPatchEmbedding();
  Group positionCode =
      register_module(configuration.hasTimmNames ? "pos_embed" : "pos_embeder", Group());
  positionProjection_ = positionCode->add(
      "token_projection",
      Convolution(ConvolutionOptions{.inputs = 2 * codeWidth, .outputs = channels}));
  Group blocks = register_module("blocks", Group());
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string index = std::to_string(i);
    blocks_.push_back(blocks->add(index, XcitBlock(configuration, "blocks." + index)));
  }
  if (configuration.classBlocks == 0) return;
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  Group classBlocks = register_module("cls_attn_blocks", Group());
  for (int i = 0; i < configuration.classBlocks; ++i) {
    const std::string index = std::to_string(i);
    classBlocks_.push_back(
        classBlocks->add(index, XcitClassBlock(configuration, "cls_attn_blocks." + index)));
  }
  norm_ = register_module("norm", LayerNorm(channels, 1e-6));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

void XcitNetwork::addPatchEmbedding() {
  Group embedding = register_module("patch_embed", Group());
  Group projection = embedding->add("proj", Group());
  const int convolutions = configuration_.stemConvolutions;
  int inputs = 3;
  for (int i = 0; i < convolutions; ++i) {
    // Widths double up to the network's; the activation in between has no parameters.
    const int outputs = configuration_.channels >> (convolutions - 1 - i);
    Group pair = projection->add(std::to_string(2 * i), Group());
    stem_.push_back({pair->add("0", Convolution(ConvolutionOptions{.inputs = inputs,
                                                                   .outputs = outputs,
                                                                   .kernel = 3,
                                                                   .stride = 2,
                                                                   .padding = 1,
                                                                   .bias = false})),
                     pair->add("1", BatchNorm(outputs))});
    inputs = outputs;
  }
}

torch::Tensor XcitNetwork::embed(const torch::Tensor& picture) const {
  torch::Tensor x = picture;
  for (std::size_t i = 0; i < stem_.size(); ++i) {
    const bool isLast = i + 1 == stem_.size();
    x = stem_[i].convolution->forward(x, *stem_[i].norm.ptr(),
                                      isLast ? Activation::None : configuration_.activation);
  }
  return x;
}

torch::Tensor XcitNetwork::positions(const TokenGrid& grid) const {
  const torch::TensorOptions options = positionProjection_->weight.options().requires_grad(false);
  const torch::Tensor vertical = fourierCode(grid.height, options).unsqueeze(1);
  const torch::Tensor horizontal = fourierCode(grid.width, options).unsqueeze(0);
  const torch::Tensor code =
      at::cat({vertical.expand({-1, grid.width, -1}), horizontal.expand({grid.height, -1, -1})}, 2);
  return linearProduct(code.flatten(0, 1), positionProjection_->weight.flatten(1),
                       positionProjection_->bias)
      .unsqueeze(0);
}

torch::Tensor XcitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = embed(picture);
  const TokenGrid grid = gridOf(map);
  torch::Tensor tokens = tokensOf(map).contiguous();
  if (configuration_.addsPositions) tokens = tokens + positions(grid);
  for (XcitBlock& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  if (classBlocks_.empty()) {
    recordFeatures(recorder, [&] { return tokens; });
    return {};
  }

  tokens = at::cat({classToken_.expand({tokens.size(0), -1, -1}), tokens}, 1);
  for (XcitClassBlock& block : classBlocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  if (configuration_.poolsPatches) {
    return head_->forward(norm_->forward(tokens.slice(1, 1)).mean(1));
  }
  return head_->forward(norm_->forward(tokens.select(1, 0)));
}

void XcitNetwork::checkInputSize(int height, int width) const {
  requireAnyInputSize(height, width);
}

}  // namespace softscope
