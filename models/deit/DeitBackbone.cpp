#include "models/deit/DeitBackbone.h"

#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"

#include <cmath>

namespace softscope {

int squareSide(int positions) {
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(positions))));
  return side * side == positions ? side : 0;
}

torch::Tensor resizePositions(const torch::Tensor& positions, int prefixTokens,
                              const TokenGrid& grid) {
  const int side = squareSide(static_cast<int>(positions.size(1)) - prefixTokens);
  if (side == 0 || grid == TokenGrid{side, side}) return positions;
  const torch::Tensor table = mapOf(positions.slice(1, prefixTokens), {side, side});
  const torch::Tensor resized = at::upsample_bicubic2d(table, {grid.height, grid.width}, false);
  return at::cat({positions.slice(1, 0, prefixTokens), tokensOf(resized)}, 1);
}

DeitBlockImpl::DeitBlockImpl(const std::string& name, const DeitConfiguration& configuration)
    : attentionName_(name + ".attn"),
      heads_(configuration.heads),
      prefixTokens_(configuration.prefixTokens),
      sima_(configuration.sima),
      activation_(configuration.activation) {
  const int channels = configuration.channels;
  norm1_ = register_module("norm1", LayerNorm(channels, configuration.epsilon));
  Group attention = register_module("attn", Group());
  queryKeyValue_ =
      attention->add("qkv", Linear(channels, 3 * channels, configuration.queryKeyValueBias));
  projection_ = attention->add("proj", Linear(channels, channels));
  norm2_ = register_module("norm2", LayerNorm(channels, configuration.epsilon));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(channels, configuration.hidden));
  contract_ = mlp->add("fc2", Linear(configuration.hidden, channels));
}

torch::Tensor DeitBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const torch::Tensor attended = attend(norm1_->forward(tokens), grid, recorder);
  recordAddition(recorder, attentionName_, tokens, attended);
  const torch::Tensor x = tokens + attended;
  return x + contract_->forward(expand_->forward(norm2_->forward(x), activation_));
}

torch::Tensor DeitBlockImpl::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                                    Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKeyValue_->forward(tokens).chunk(3, -1);
  const torch::Tensor query = splitHeads(parts[0], heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = prefixTokens_;
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(-1)));
  const torch::Tensor attended =
      sima_ ? simaAttention(query, key, value, *sima_, attentionName_, description, recorder)
            : softmaxAttention(query, key, value, scale, attentionName_, description, recorder);
  return projection_->forward(
      joinTerms({attended, {}}, attentionName_, projection_->weight, recorder));
}

DeitBackbone::DeitBackbone(const DeitConfiguration& configuration) : configuration_(configuration) {
  const int channels = configuration.channels;
  const bool distilled = configuration.prefixTokens > 1;
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  if (distilled) {
    distillationToken_ = register_parameter("dist_token", torch::empty({1, 1, channels}));
  }
  positions_ = register_parameter(
      "pos_embed",
      torch::empty({1, configuration.prefixTokens + configuration.positions, channels}));
  Group blocks = register_module("blocks", Group());
  for (int depth = 0; depth < configuration.depth; ++depth) {
    const std::string index = std::to_string(depth);
    blocks_.push_back(blocks->add(index, DeitBlock("blocks." + index, configuration)));
  }
  norm_ = register_module("norm", LayerNorm(channels, configuration.epsilon));
  if (configuration.classes == 0) return;
  head_ = register_module("head", Linear(channels, configuration.classes));
  if (distilled) {
    distillationHead_ = register_module("head_dist", Linear(channels, configuration.classes));
  }
}

torch::Tensor DeitBackbone::classify(const torch::Tensor& patches, const TokenGrid& grid,
                                     Recorder* recorder) {
  std::vector<torch::Tensor> parts{classToken_.expand({patches.size(0), -1, -1})};
  if (distillationToken_.defined()) {
    parts.push_back(distillationToken_.expand({patches.size(0), -1, -1}));
  }
  parts.push_back(patches);
  torch::Tensor tokens =
      at::cat(parts, 1) + resizePositions(positions_, configuration_.prefixTokens, grid);
  for (DeitBlock& block : blocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) return {};
  const torch::Tensor prefix = norm_->forward(tokens.slice(1, 0, configuration_.prefixTokens));
  const torch::Tensor logits = head_->forward(prefix.select(1, 0));
  if (distillationHead_.is_empty()) return logits;
  return (logits + distillationHead_->forward(prefix.select(1, 1))) / 2;
}

void DeitBackbone::checkGrid(const TokenGrid& grid) const {
  if (squareSide(configuration_.positions) > 0 || grid.count() == configuration_.positions) return;
  throw InspectionError("the picture has " + std::to_string(grid.height) + " x " +
                        std::to_string(grid.width) + " patches, but this model has positions for " +
                        std::to_string(configuration_.positions) +
                        ", which make no square and so cannot be resized; choose a size with "
                        "exactly that many patches");
}

}  // namespace softscope
