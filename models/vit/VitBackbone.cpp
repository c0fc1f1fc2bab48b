#include "models/vit/VitBackbone.h"

#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/identify/ShapeReader.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"
#include "models/vit/VitBlock.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

AttentionPool::AttentionPool(torch::nn::Module& network, const VitConfiguration& configuration)
    : layer_(configuration.names.pool.layer),
      heads_(configuration.heads),
      prefixNames_(configuration.poolsPrefix ? configuration.prefixNames()
                                             : std::vector<std::string>{}),
      activation_(configuration.activation) {
  const VitPoolNames& names = configuration.names.pool;
  const int channels = configuration.channels;
  const auto addLinear = [&](const std::string& name, int inputs, int outputs) {
    return name.empty() ? Linear(nullptr)
                        : registerLinearAt(network, name, Linear(inputs, outputs));
  };
  latent_ = registerParameterAt(network, names.latent, {1, 1, channels});
  queryKeyValue_ = addLinear(names.queryKeyValue, channels, 3 * channels);
  query_ = addLinear(names.query, channels, channels);
  keyValue_ = addLinear(names.keyValue, channels, 2 * channels);
  projection_ = addLinear(names.projection, channels, channels);
  norm_ = registerAt(network, names.norm, LayerNorm(channels, configuration.epsilon));
  expand_ = addLinear(names.expand, channels, configuration.poolHidden);
  contract_ = addLinear(names.contract, configuration.poolHidden, channels);
}

std::vector<torch::Tensor> AttentionPool::project(const torch::Tensor& tokens) const {
  if (queryKeyValue_.is_empty()) {
    const std::vector<torch::Tensor> keyValue = keyValue_->forward(tokens).chunk(2, -1);
    return {query_->forward(latent_), keyValue[0], keyValue[1]};
  }
  const std::int64_t channels = latent_.size(2);
  const torch::Tensor& weight = queryKeyValue_->weight;
  const torch::Tensor& bias = queryKeyValue_->bias;
  const std::vector<torch::Tensor> keyValue =
      linearProduct(tokens, weight.slice(0, channels), bias.slice(0, channels)).chunk(2, -1);
  return {linearProduct(latent_, weight.slice(0, 0, channels), bias.slice(0, 0, channels)),
          keyValue[0], keyValue[1]};
}

torch::Tensor AttentionPool::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const std::vector<torch::Tensor> parts = project(tokens);
  const torch::Tensor query = splitHeads(parts[0].expand({tokens.size(0), -1, -1}), heads_);
  const torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  const torch::Tensor weights =
      (query * inverseRootOfWidth(query)).matmul(key.transpose(-2, -1)).softmax(-1);
  if (recorder != nullptr) record(weights, query, key, value, grid, *recorder);
  const torch::Tensor pooled = projection_->forward(
      joinTerms({weights.matmul(value), {}}, layer_, projection_->weight, recorder));
  // The result replaces the tokens: nothing is there before it.
  recordAddition(recorder, layer_, at::zeros_like(pooled), pooled);
  const torch::Tensor hidden = activated(expand_, norm_->forward(pooled), activation_);
  return (pooled + contract_->forward(hidden)).select(1, 0);
}

void AttentionPool::record(const torch::Tensor& attention, const torch::Tensor& query,
                           const torch::Tensor& key, const torch::Tensor& value,
                           const TokenGrid& grid, Recorder& recorder) const {
  AttentionRecord record;
  record.layer = layer_;
  record.description.mechanism = "softmax_pool";
  record.description.keyGrid = grid;
  record.description.prefixTokens = static_cast<int>(prefixNames_.size());
  record.description.prefixNames = prefixNames_;
  record.map = DenseTensors{attention[0]};
  record.queryL1 = query[0].abs().sum(-1);
  record.keyL1 = key[0].abs().sum(-1);
  record.value = value[0];
  recorder.record(std::move(record));
}

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
  const int hidden = configuration_.headHidden;
  if (hidden > 0) headHidden_ = registerAt(*this, names.headHidden, Linear(seen, hidden));
  if (!names.headNorm.empty()) {
    const auto addBuffer = [&](const char* name) {
      const ModulePlace place = placeOf(*this, names.headNorm + "." + name);
      return place.parent.register_buffer(place.name, torch::empty({channels}));
    };
    headMean_ = addBuffer("running_mean");
    headVariance_ = addBuffer("running_var");
  }
  head_ = registerAt(*this, names.head, Linear(hidden > 0 ? hidden : seen, configuration_.classes));
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
  const torch::Tensor all = positions_.view({1, -1, channels});
  const torch::Tensor table = configuration_.onlyGrid.count() > 0
                                  ? all
                                  : resizePositions(all, placed, grid, configuration_.resize);
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

torch::Tensor VitBackbone::normalisePooled(const torch::Tensor& pooled) {
  return poolingNorm_.is_empty() ? pooled : poolingNorm_->forward(pooled);
}

torch::Tensor VitBackbone::pool(const torch::Tensor& tokens, const TokenGrid& grid,
                                Recorder* recorder) {
  const bool seesFirst = configuration_.pooling == VitPooling::ClassToken;
  const int firstTokens = std::max(1, configuration_.prefixTokens());
  const torch::Tensor normalised =
      normalise(seesFirst && !attentionPool_ ? tokens.slice(1, 0, firstTokens) : tokens);
  const torch::Tensor pooledTokens = normalised.slice(1, configuration_.unpooledTokens());
  // The published networks compute their pool even if a classifier of the mean ignores it.
  const bool isPooled = configuration_.pooling == VitPooling::Attention;
  if (attentionPool_ && (isPooled || recorder != nullptr)) {
    const torch::Tensor pooled = attentionPool_->forward(pooledTokens, grid, recorder);
    if (isPooled) return normalisePooled(pooled);
  }
  if (seesFirst) return normalisePooled(normalised.select(1, 0));
  if (configuration_.pooling == VitPooling::Largest) return normalisePooled(pooledTokens.amax(1));
  const torch::Tensor mean = pooledTokens.mean(1);
  if (configuration_.pooling == VitPooling::Both) {
    return at::cat({normalised.select(1, 0), mean}, -1);
  }
  const bool hasLargest = configuration_.pooling == VitPooling::MeanAndLargest;
  return normalisePooled(hasLargest ? 0.5 * (mean + pooledTokens.amax(1)) : mean);
}

torch::Tensor VitBackbone::projected(const torch::Tensor& tokens) {
  if (configuration_.pooling != VitPooling::Patches) return normalise(tokens.slice(1, 0, 1));
  const auto mean = [&](const torch::Tensor& all) {
    return all.slice(1, configuration_.prefixTokens()).mean(1, true);
  };
  return configuration_.normsPooled ? normalise(mean(tokens)) : mean(normalise(tokens));
}

torch::Tensor VitBackbone::features(const torch::Tensor& tokens, const TokenGrid& grid,
                                    Recorder* recorder) {
  if (attentionPool_) {
    const torch::Tensor pooledTokens = normalise(tokens).slice(1, configuration_.unpooledTokens());
    return normalisePooled(attentionPool_->forward(pooledTokens, grid, recorder)).unsqueeze(1);
  }
  if (configuration_.featureWidth == 0) return normalise(tokens);
  const torch::Tensor pooled = projected(tokens);
  return featureMatrix_.defined() ? pooled.matmul(featureMatrix_)
                                  : featureProjection_->forward(pooled);
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
  if (configuration_.pooling != VitPooling::ClassToken || configuration_.prefixTokens() == 0) {
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
  torch::Tensor pooled = pool(tokens, grid, recorder);
  if (!headHidden_.is_empty()) pooled = headHidden_->forward(pooled).tanh();
  if (headMean_.defined()) {
    pooled = (pooled - headMean_) * (headVariance_ + configuration_.headNormEpsilon).rsqrt();
  }
  const torch::Tensor logits = head_->forward(pooled);
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
  if (const TokenGrid& only = configuration_.onlyGrid; only.count() > 0) {
    if (grid == only) return;
    const int patch = configuration_.patch;
    throw InspectionError("the picture has " + size +
                          " patches, but this model's positions are for " +
                          std::to_string(only.height) + " x " + std::to_string(only.width) +
                          " alone; choose --size " + std::to_string(only.height * patch) + "x" +
                          std::to_string(only.width * patch));
  }
  const int side = squareSide(configuration_.positions);
  if (configuration_.resize == PositionResize::Aligned && grid.height != grid.width) {
    throw InspectionError("the picture has " + size +
                          " patches, but positions of this model are resized to squares only; "
                          "choose a square size");
  }
  if (!positions_.defined() || side > 0 || grid.count() == configuration_.positions) return;
  const int placed = configuration_.prefixPositions;
  const bool maySquare = placed > 0 && squareSide(placed + configuration_.positions) > 0;
  throw InspectionError("the picture has " + size + " patches, but this model has positions for " +
                        std::to_string(configuration_.positions) +
                        ", which make no square and so cannot be resized; choose a size with "
                        "exactly that many patches" +
                        (maySquare ? ", or --prefix-positions 0 if positions are of the patches "
                                     "alone"
                                   : ""));
}

}  // namespace softscope
