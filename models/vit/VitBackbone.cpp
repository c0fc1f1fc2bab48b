#include "models/vit/VitBackbone.h"

#include "core/Error.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

namespace softscope {

VitBackbone::VitBackbone(const VitConfiguration& configuration) : configuration_(configuration) {}

void VitBackbone::addBehindPatches() {
  addTokens();
  for (const std::string& path : configuration_.names.blocks) {
    blocks_.emplace_back(*this, path, configuration_);
  }
  addEnd();
}

void VitBackbone::addTokens() {
  const VitNames& names = configuration_.names;
  const int channels = configuration_.channels;
  const auto addToken = [&](const std::string& path, int count) {
    const std::vector<std::int64_t> shape = names.hasFlatTokens
                                                ? std::vector<std::int64_t>{channels}
                                                : std::vector<std::int64_t>{1, count, channels};
    prefix_.push_back(registerParameterAt(*this, path, shape));
  };
  if (configuration_.classToken) addToken(names.classToken, 1);
  if (configuration_.distillationToken) addToken(names.distillationToken, 1);
  if (configuration_.registers > 0) addToken(names.registers, configuration_.registers);
  const int entries = configuration_.prefixPositions + configuration_.positions;
  if (!names.positions.empty()) {
    positions_ = names.hasFlatTokens
                     ? registerParameterAt(*this, names.positions, {entries, channels})
                     : registerParameterAt(*this, names.positions, {1, entries, channels});
  }
  if (!names.rotaryPeriods.empty()) {
    periods_ =
        registerParameterAt(*this, names.rotaryPeriods, {channels / configuration_.heads / 4});
  }
  if (!names.sharedPositionBias.empty()) {
    const int side = 2 * configuration_.biasSide - 1;
    sharedBias_ = registerParameterAt(*this, names.sharedPositionBias,
                                      {side * side + 3, configuration_.heads});
  }
  if (!names.normBefore.empty()) {
    normBefore_ = registerAt(*this, names.normBefore, LayerNorm(channels, configuration_.epsilon));
  }
}

void VitBackbone::addEnd() {
  const VitNames& names = configuration_.names;
  const int channels = configuration_.channels;
  const auto addNorm = [&](const std::string& path) {
    return path.empty() ? LayerNorm(nullptr)
                        : registerAt(*this, path, LayerNorm(channels, configuration_.epsilon));
  };
  norm_ = addNorm(names.norm);
  prefixNorm_ = addNorm(names.prefixNorm);
  poolingNorm_ = addNorm(names.poolingNorm);
  if (!names.pool.layer.empty()) attentionPool_.emplace(*this, configuration_);
  if (!names.featureProjection.empty()) {
    featureProjection_ = registerAt(*this, names.featureProjection,
                                    Linear(channels, configuration_.featureWidth, false));
  }
  if (!names.featureMatrix.empty()) {
    featureMatrix_ =
        registerParameterAt(*this, names.featureMatrix, {channels, configuration_.featureWidth});
  }
  if (configuration_.classes == 0) return;
  const int seen = configuration_.pooling == VitPooling::Both ? 2 * channels : channels;
  head_ = registerAt(*this, names.head, Linear(seen, configuration_.classes));
  if (!names.distillationHead.empty()) {
    distillationHead_ =
        registerAt(*this, names.distillationHead, Linear(channels, configuration_.classes));
  }
}

torch::Tensor VitBackbone::withPrefix(const torch::Tensor& patches, const TokenGrid& grid) {
  const int placed = configuration_.prefixPositions;
  const std::int64_t channels = configuration_.channels;
  std::vector<torch::Tensor> tokens;
  for (const torch::Tensor& token : prefix_) tokens.push_back(token.view({1, -1, channels}));
  const auto prefix = [&] { return at::cat(tokens, 1).expand({patches.size(0), -1, -1}); };
  if (!positions_.defined()) {
    return tokens.empty() ? patches : at::cat({prefix(), patches}, 1);
  }
  const torch::Tensor table =
      resizePositions(positions_.view({1, -1, channels}), placed, grid, configuration_.resize);
  if (tokens.empty()) return patches + table;
  return at::cat({prefix().slice(1, 0, placed) + table.slice(1, 0, placed),
                  prefix().slice(1, placed), patches + table.slice(1, placed)},
                 1);
}

torch::Tensor VitBackbone::normalise(const torch::Tensor& tokens) {
  if (prefixNorm_.is_empty()) return norm_.is_empty() ? tokens : norm_->forward(tokens);
  const int prefix = configuration_.prefixTokens();
  return at::cat(
      {prefixNorm_->forward(tokens.slice(1, 0, prefix)), norm_->forward(tokens.slice(1, prefix))},
      1);
}

torch::Tensor VitBackbone::pool(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) {
  const int prefixTokens = configuration_.prefixTokens();
  const torch::Tensor normalised = configuration_.pooling == VitPooling::ClassToken
                                       ? normalise(tokens.slice(1, 0, prefixTokens))
                                       : normalise(tokens);
  const auto normalisePooled = [&](const torch::Tensor& pooled) {
    return poolingNorm_.is_empty() ? pooled : poolingNorm_->forward(pooled);
  };
  if (configuration_.pooling == VitPooling::ClassToken) {
    return normalisePooled(normalised.select(1, 0));
  }
  const torch::Tensor patches = normalised.slice(1, prefixTokens);
  // The published networks compute their pool even if a classifier of the mean ignores it.
  const bool isPooled = configuration_.pooling == VitPooling::Attention;
  if (attentionPool_ && (isPooled || recorder != nullptr)) {
    const torch::Tensor pooled = attentionPool_->forward(patches, grid, recorder);
    if (isPooled) return pooled;
  }
  const torch::Tensor mean = patches.mean(1);
  if (configuration_.pooling == VitPooling::Both) {
    return at::cat({normalised.select(1, 0), mean}, -1);
  }
  return normalisePooled(mean);
}

torch::Tensor VitBackbone::features(const torch::Tensor& tokens, const TokenGrid& grid,
                                    Recorder* recorder) {
  if (attentionPool_) {
    const torch::Tensor patches = normalise(tokens).slice(1, configuration_.prefixTokens());
    return attentionPool_->forward(patches, grid, recorder).unsqueeze(1);
  }
  if (configuration_.featureWidth == 0) return normalise(tokens);
  const torch::Tensor classToken = normalise(tokens.slice(1, 0, 1));
  return featureMatrix_.defined() ? classToken.matmul(featureMatrix_)
                                  : featureProjection_->forward(classToken);
}

torch::Tensor VitBackbone::angles(const TokenGrid& grid) const {
  if (configuration_.rotary.form == RotaryPositions::Form::None) return {};
  const int width = configuration_.channels / configuration_.heads;
  return configuration_.rotary.angles(grid, width, periods_,
                                      torch::TensorOptions(torch::kFloat32).device(device()));
}

torch::Tensor VitBackbone::classify(const torch::Tensor& patches, const TokenGrid& grid,
                                    Recorder* recorder) {
  VitPlaces places{.grid = grid, .angles = angles(grid), .sharedBias = sharedBias_};
  std::optional<RelativePositions> relative;
  if (configuration_.biasSide > 0) {
    relative.emplace(grid, configuration_.prefixTokens(), patches.device());
    places.relative = &*relative;
  }
  return answer(withPrefix(patches, grid), places, recorder);
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
  const torch::Tensor indices =
      at::cat({at::arange(prefix, kept.options()), kept + prefix}).to(tokens.device());
  VitPlaces places{.grid = grid, .angles = angles(grid), .sharedBias = sharedBias_};
  if (places.angles.defined()) {
    places.angles = places.angles.index_select(1, kept.to(tokens.device()));
  }
  std::optional<RelativePositions> relative;
  if (configuration_.biasSide > 0) {
    relative = RelativePositions(grid, static_cast<int>(prefix), tokens.device()).ofTokens(indices);
    places.relative = &*relative;
  }
  return answer(tokens.index_select(1, indices), places, nullptr);
}

torch::Tensor VitBackbone::answer(torch::Tensor tokens, const VitPlaces& places,
                                  Recorder* recorder) {
  if (!normBefore_.is_empty()) tokens = normBefore_->forward(tokens);
  for (VitBlock& block : blocks_) tokens = block.forward(tokens, places, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return features(tokens, places.grid, recorder); });
    return {};
  }
  return readHead(tokens, places.grid, recorder);
}

torch::Tensor VitBackbone::readHead(const torch::Tensor& tokens, const TokenGrid& grid,
                                    Recorder* recorder) {
  const torch::Tensor logits = head_->forward(pool(tokens, grid, recorder));
  if (distillationHead_.is_empty()) return logits;
  return (logits + distillationHead_->forward(normalise(tokens.select(1, 1)))) / 2;
}

torch::Tensor VitBackbone::answerEarly(const torch::Tensor& tokens, const TokenGrid& grid) {
  return head_.is_empty() ? torch::Tensor() : readHead(tokens, grid, nullptr);
}

std::optional<FeatureTensors> VitBackbone::featureTensors() const {
  if (norm_.is_empty()) return std::nullopt;
  FeatureTensors tensors{norm_->weight, norm_->bias, configuration_.epsilon, featureMatrix_};
  if (!featureProjection_.is_empty()) tensors.projection = featureProjection_->weight.t();
  return tensors;
}

void VitBackbone::checkGrid(const TokenGrid& grid) const {
  const std::string size = std::to_string(grid.height) + " x " + std::to_string(grid.width);
  if (const int side = configuration_.biasSide; side > 0 && grid != TokenGrid{side, side}) {
    throw InspectionError("the picture has " + size +
                          " patches, but this model's tables of relative positions are for " +
                          std::to_string(side) + " x " + std::to_string(side) + " alone");
  }
  const int side = squareSide(configuration_.positions);
  if (configuration_.resize == PositionResize::Aligned && grid.height != grid.width) {
    throw InspectionError("the picture has " + size +
                          " patches, but positions of this model are resized to squares only; "
                          "choose a square size");
  }
  if (!positions_.defined() || side > 0 || grid.count() == configuration_.positions) return;
  throw InspectionError("the picture has " + size + " patches, but this model has positions for " +
                        std::to_string(configuration_.positions) +
                        ", which make no square and so cannot be resized; choose a size with "
                        "exactly that many patches");
}

}  // namespace softscope
