#include "models/vit/VitBackbone.h"

#include "core/Error.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

namespace softscope {

VitBackbone::VitBackbone(const VitConfiguration& configuration) : configuration_(configuration) {
  const VitNames& names = configuration.names;
  const int channels = configuration.channels;
  const auto addToken = [&](const std::string& path, int count) {
    prefix_.push_back(registerParameterAt(*this, path, {1, count, channels}));
  };
  const auto addNorm = [&](const std::string& path) {
    return path.empty() ? LayerNorm(nullptr)
                        : registerAt(*this, path, LayerNorm(channels, configuration.epsilon));
  };
  if (configuration.classToken) addToken(names.classToken, 1);
  if (configuration.distillationToken) addToken(names.distillationToken, 1);
  if (configuration.registers > 0) addToken(names.registers, configuration.registers);
  positions_ =
      registerParameterAt(*this, names.positions,
                          {1, configuration.prefixPositions + configuration.positions, channels});
  normBefore_ = addNorm(names.normBefore);
  for (const std::string& path : names.blocks) blocks_.emplace_back(*this, path, configuration);
  norm_ = addNorm(names.norm);
  poolingNorm_ = addNorm(names.poolingNorm);
  if (!names.attentionPool.empty()) attentionPool_.emplace(*this, configuration);
  if (configuration.classes == 0) return;
  const int seen = configuration.pooling == VitPooling::Both ? 2 * channels : channels;
  head_ = registerAt(*this, names.head, Linear(seen, configuration.classes));
  if (!names.distillationHead.empty()) {
    distillationHead_ =
        registerAt(*this, names.distillationHead, Linear(channels, configuration.classes));
  }
}

torch::Tensor VitBackbone::withPrefix(const torch::Tensor& patches, const TokenGrid& grid) {
  const int placed = configuration_.prefixPositions;
  const torch::Tensor table = resizePositions(positions_, placed, grid, configuration_.resize);
  if (prefix_.empty()) return patches + table;
  const torch::Tensor prefix = at::cat(prefix_, 1).expand({patches.size(0), -1, -1});
  return at::cat({prefix.slice(1, 0, placed) + table.slice(1, 0, placed), prefix.slice(1, placed),
                  patches + table.slice(1, placed)},
                 1);
}

torch::Tensor VitBackbone::normalise(const torch::Tensor& tokens) {
  return norm_.is_empty() ? tokens : norm_->forward(tokens);
}

torch::Tensor VitBackbone::pool(const torch::Tensor& tokens) {
  const int prefixTokens = configuration_.prefixTokens();
  if (configuration_.pooling == VitPooling::ClassToken) {
    return normalise(tokens.select(1, 0));
  }
  const torch::Tensor normalised = normalise(tokens);
  if (configuration_.pooling == VitPooling::Attention) {
    return attentionPool_->forward(normalised.slice(1, prefixTokens));
  }
  const torch::Tensor mean = normalised.slice(1, prefixTokens).mean(1);
  if (configuration_.pooling == VitPooling::Both) {
    return at::cat({normalised.select(1, 0), mean}, -1);
  }
  return poolingNorm_.is_empty() ? mean : poolingNorm_->forward(mean);
}

torch::Tensor VitBackbone::classify(const torch::Tensor& patches, const TokenGrid& grid,
                                    Recorder* recorder) {
  return answer(withPrefix(patches, grid), grid, recorder);
}

torch::Tensor VitBackbone::classifySome(const torch::Tensor& patches, const TokenGrid& grid,
                                        const torch::Tensor& kept) {
  if (configuration_.pooling != VitPooling::ClassToken) {
    throw InspectionError(
        "this network's answer is made of its patches, which there are none of once "
        "all are left out; choose another removal");
  }
  const torch::Tensor tokens = withPrefix(patches, grid);
  const std::int64_t prefix = configuration_.prefixTokens();
  const torch::Tensor places = at::cat({at::arange(prefix, kept.options()), kept + prefix});
  return answer(tokens.index_select(1, places.to(tokens.device())), grid, nullptr);
}

torch::Tensor VitBackbone::answer(torch::Tensor tokens, const TokenGrid& grid, Recorder* recorder) {
  if (!normBefore_.is_empty()) tokens = normBefore_->forward(tokens);
  for (VitBlock& block : blocks_) tokens = block.forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return normalise(tokens); });
    return {};
  }
  const torch::Tensor logits = head_->forward(pool(tokens));
  if (distillationHead_.is_empty()) return logits;
  return (logits + distillationHead_->forward(normalise(tokens.select(1, 1)))) / 2;
}

void VitBackbone::checkGrid(const TokenGrid& grid) const {
  if (squareSide(configuration_.positions) > 0 || grid.count() == configuration_.positions) return;
  throw InspectionError("the picture has " + std::to_string(grid.height) + " x " +
                        std::to_string(grid.width) + " patches, but this model has positions for " +
                        std::to_string(configuration_.positions) +
                        ", which make no square and so cannot be resized; choose a size with "
                        "exactly that many patches");
}

}  // namespace softscope
