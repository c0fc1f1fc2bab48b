#include "models/vit/VitBlock.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"

#include <vector>

namespace softscope {

torch::Tensor activated(const Linear& expand, const torch::Tensor& x, VitActivation activation) {
  switch (activation) {
    case VitActivation::Gelu:
      break;
    case VitActivation::Relu:
      return expand->forward(x, Activation::Relu);
    case VitActivation::TanhGelu:
      return expand->forward(x, Activation::TanhGelu);
    case VitActivation::QuickGelu:
      return quickGelu(expand->forward(x));
    case VitActivation::Silu:
      return at::silu(expand->forward(x));
  }
  return expand->forward(x, Activation::Gelu);
}

namespace {

torch::Tensor activatedHalf(const torch::Tensor& x, VitActivation activation) {
  switch (activation) {
    case VitActivation::Gelu:
      return activated(x, Activation::Gelu);
    case VitActivation::Relu:
      return activated(x, Activation::Relu);
    case VitActivation::TanhGelu:
      return activated(x, Activation::TanhGelu);
    case VitActivation::QuickGelu:
      return quickGelu(x);
    case VitActivation::Silu:
      break;
  }
  return at::silu(x);
}

}  // namespace

VitBlock::VitBlock(torch::nn::Module& network, const std::string& path,
                   const VitConfiguration& configuration)
    : layer_(path + "." + configuration.names.block.attention),
      heads_(configuration.heads),
      scalesByWidth_(configuration.scalesByWidth),
      prefixNames_(configuration.prefixNames()),
      epsilon_(configuration.epsilon),
      sima_(configuration.sima),
      mechanism_(configuration.mechanism()),
      rotary_(configuration.rotary),
      activation_(configuration.activation),
      isGated_(configuration.isGated),
      isGateLast_(configuration.isGateLast),
      normsAfter_(configuration.normsAfter) {
  const VitBlockNames& names = configuration.names.block;
  const int channels = configuration.channels;
  const int hidden = configuration.hidden;
  const auto addLinear = [&](const std::string& name, int inputs, int outputs) {
    return registerLinearAt(network, path + "." + name,
                            Linear(inputs, outputs, configuration.hasBias(name)));
  };
  const auto addNorm = [&](const std::string& name, int width) {
    return name.empty()
               ? LayerNorm(nullptr)
               : registerAt(network, path + "." + name, LayerNorm(width, configuration.epsilon));
  };
  const auto addParameter = [&](const std::string& name, at::IntArrayRef shape) {
    return name.empty() ? torch::Tensor() : registerParameterAt(network, path + "." + name, shape);
  };
  norm1_ = addNorm(names.norm1, channels);
  if (!names.queryKeyValue.empty()) {
    queryKeyValue_ = addLinear(names.queryKeyValue, channels, 3 * channels);
  } else {
    query_ = addLinear(names.query, channels, channels);
    key_ = addLinear(names.key, channels, channels);
    value_ = addLinear(names.value, channels, channels);
  }
  queryBias_ = addParameter(names.queryBias, {channels});
  valueBias_ = addParameter(names.valueBias, {channels});
  biasMask_ = addParameter(names.biasMask, {3 * channels});
  const int side = 2 * configuration.biasSide - 1;
  positionBias_ = addParameter(names.positionBias, {side * side + 3, configuration.heads});
  attentionNorm_ = addNorm(names.attentionNorm, channels);
  projection_ = addLinear(names.projection, channels, channels);
  scale1_ = addParameter(names.scale1, {channels});
  norm2_ = addNorm(names.norm2, channels);
  const bool isPacked = isGated_ && names.gate.empty();
  expand_ = addLinear(names.expand, channels, isPacked ? 2 * hidden : hidden);
  if (!names.gate.empty()) gate_ = addLinear(names.gate, channels, hidden);
  mlpNorm_ = addNorm(names.mlpNorm, hidden);
  contract_ = addLinear(names.contract, hidden, channels);
  scale2_ = addParameter(names.scale2, {channels});
}

torch::Tensor VitBlock::forward(const torch::Tensor& tokens, const VitPlaces& places,
                                Recorder* recorder) {
  torch::Tensor attended = attend(normsAfter_ ? tokens : norm1_->forward(tokens), places, recorder);
  if (scale1_.defined()) attended = attended * scale1_;
  recordAddition(recorder, layer_, tokens, attended, scale1_);
  torch::Tensor x = tokens + attended;
  if (normsAfter_) x = norm1_->forward(x);
  const torch::Tensor computed = mlp(normsAfter_ ? x : norm2_->forward(x));
  x = x + (scale2_.defined() ? computed * scale2_ : computed);
  if (normsAfter_) x = norm2_->forward(x);
  return recordTokens(recorder, layer_, x, places.grid);
}

std::vector<torch::Tensor> VitBlock::project(const torch::Tensor& tokens) {
  if (queryKeyValue_.is_empty()) {
    return {query_->forward(tokens), key_->forward(tokens), value_->forward(tokens)};
  }
  if (queryBias_.defined()) {
    const torch::Tensor bias = at::cat({queryBias_, at::zeros_like(queryBias_), valueBias_});
    return linearProduct(tokens, queryKeyValue_->weight, bias).chunk(3, -1);
  }
  if (biasMask_.defined()) {
    return linearProduct(tokens, queryKeyValue_->weight, queryKeyValue_->bias * biasMask_)
        .chunk(3, -1);
  }
  return queryKeyValue_->forward(tokens).chunk(3, -1);
}

torch::Tensor VitBlock::attend(const torch::Tensor& tokens, const VitPlaces& places,
                               Recorder* recorder) {
  const std::vector<torch::Tensor> parts = project(tokens);
  torch::Tensor query = splitHeads(parts[0], heads_);
  torch::Tensor key = splitHeads(parts[1], heads_);
  const torch::Tensor value = splitHeads(parts[2], heads_);
  const int prefix = static_cast<int>(prefixNames_.size());
  if (places.angles.defined()) {
    query = rotary_.rotate(query, places.angles, prefix);
    key = rotary_.rotate(key, places.angles, prefix);
  }
  AttentionDescription description;
  description.mechanism = mechanism_;
  description.queryGrid = places.grid;
  description.keyGrid = places.grid;
  description.prefixTokens = prefix;
  description.prefixNames = prefixNames_;
  const double scale = inverseRootOfWidth(scalesByWidth_ ? tokens : query);
  if (sima_) {
    return joinHeadsOf(simaAttention(query, key, value, *sima_, layer_, description, recorder),
                       recorder);
  }
  const torch::Tensor& table = positionBias_.defined() ? positionBias_ : places.sharedBias;
  if (table.defined()) {
    const SoftmaxMixture mixture{
        .scale = scale, .bias = table.t().contiguous(), .positions = places.relative};
    return joinHeadsOf(
        mixedSoftmaxAttention(query, key, value, mixture, layer_, description, recorder), recorder);
  }
  return joinHeadsOf(softmaxAttention(query, key, value, scale, layer_, description, recorder),
                     recorder);
}

torch::Tensor VitBlock::joinHeadsOf(const torch::Tensor& attended, Recorder* recorder) {
  if (attentionNorm_.is_empty()) {
    return projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
  }
  if (!looksAtTerms(recorder)) {
    return projection_->forward(attentionNorm_->forward(joinHeads(attended)));
  }
  // The norm of the joined heads is linear once its deviations are known: they divide the terms,
  // and what it does to channels belongs to the projection.
  const torch::Tensor deviation = joinHeads(attended).var(-1, false, true).add(epsilon_).sqrt();
  const torch::Tensor weight = projection_->weight * attentionNorm_->weight;
  const torch::Tensor gate = deviation.reciprocal().unsqueeze(1).expand_as(attended);
  const torch::Tensor joined =
      joinTerms({attended, {}, gate}, layer_, weight - weight.mean(1, true), recorder);
  return projection_->forward(attentionNorm_->forward(joined * deviation));
}

torch::Tensor VitBlock::mlp(const torch::Tensor& tokens) {
  torch::Tensor hidden;
  if (!isGated_) {
    hidden = activated(expand_, tokens, activation_);
  } else if (!gate_.is_empty()) {
    hidden = activatedHalf(gate_->forward(tokens), activation_) * expand_->forward(tokens);
  } else {
    const std::vector<torch::Tensor> halves = expand_->forward(tokens).chunk(2, -1);
    hidden = isGateLast_ ? halves[0] * activatedHalf(halves[1], activation_)
                         : activatedHalf(halves[0], activation_) * halves[1];
  }
  return contract_->forward(mlpNorm_.is_empty() ? hidden : mlpNorm_->forward(hidden));
}

}  // namespace softscope
