#include "models/rala/RalaNetwork.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/Products.h"
#include "models/layers/RecordedTokens.h"
#include "models/linear/RotatedLinearAttention.h"

namespace softscope {

namespace {

/// Returns k^ with each token weighted by the attention that the mean of all queries pays to it;
/// the mean weight is one.
torch::Tensor augmentedKeys(const torch::Tensor& queries, const torch::Tensor& keys) {
  const torch::Tensor mean = queries.mean(-2, true);
  const torch::Tensor scores =
      matrixProduct(keys, mean.transpose(-1, -2)) * inverseRootOfWidth(queries);
  return keys * (scores.softmax(-2) * static_cast<double>(keys.size(-2)));
}

constexpr double ralaNormEpsilon = 1e-6;

/// Applies a layer norm over the channels of each place of a map.
torch::Tensor normalisedChannels(const LayerNorm& norm, const torch::Tensor& map) {
  return norm->forward(map.permute({0, 2, 3, 1}).contiguous()).permute({0, 3, 1, 2});
}

torch::Tensor ralaScaled(const torch::Tensor& gamma, const torch::Tensor& map) {
  return gamma.defined() ? gamma * map : map;
}

ConvolutionOptions ralaConvolution(int inputs, int outputs, int stride) {
  return {.inputs = inputs, .outputs = outputs, .kernel = 3, .stride = stride, .padding = 1};
}

}  // namespace

RalaAttentionImpl::RalaAttentionImpl(const RalaAttentionOptions& options) : options_(options) {
  const int channels = options.channels;
  parts_ = register_module("qkvo", Convolution(pointwiseOptions(channels, 4 * channels)));
  positions_ = register_module("lepe", Convolution(depthwiseOptions(channels, 5)));
  projection_ = register_module("proj", Convolution(pointwiseOptions(channels, channels)));
}

torch::Tensor RalaAttentionImpl::forward(const torch::Tensor& map, const PairAngles& angles,
                                         Recorder* recorder) {
  const TokenGrid grid = gridOf(map);
  const std::vector<torch::Tensor> parts = parts_->forward(map).chunk(4, 1);
  const auto heads = [&](const torch::Tensor& part) {
    return splitHeads(tokensOf(part), options_.heads);
  };
  const torch::Tensor attended =
      attend(heads(parts[0]), heads(parts[1]), heads(parts[2]), angles, grid, recorder);
  const torch::Tensor joined =
      joinTerms({attended, heads(positions_->forward(parts[2])), heads(parts[3])}, options_.name,
                projection_->weight.flatten(1), recorder);
  return projection_->forward(mapOf(joined, grid));
}

torch::Tensor RalaAttentionImpl::attend(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const PairAngles& angles,
                                        const TokenGrid& grid, Recorder* recorder) const {
  const AttentionDescription description = describe(grid);
  if (!options_.linear) {
    return softmaxAttention(rotatePairs(query, angles), rotatePairs(key, angles), value,
                            inverseRootOfWidth(query), options_.name, description, recorder);
  }
  const torch::Tensor queries = positiveElu(query);
  return rotatedLinearAttention(
      {query, key, queries, augmentedKeys(queries, positiveElu(key)), angles}, value, options_.name,
      description, recorder);
}

AttentionDescription RalaAttentionImpl::describe(const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = options_.linear ? "rala" : "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.filtersChannels = true;
  description.gated = true;
  return description;
}

RalaBlockImpl::RalaBlockImpl(const RalaAttentionOptions& attention,
                             const RalaStageConfiguration& sizes) {
  const int channels = sizes.channels;
  const auto norm = [&](const std::string& name) {
    return registerAt(*this, name + ".norm", LayerNorm(channels, ralaNormEpsilon));
  };
  positions_ = register_module("pos", Convolution(depthwiseOptions(channels, 3)));
  norm1_ = norm("norm1");
  attention_ = register_module("attn", RalaAttention(attention));
  norm2_ = norm("norm2");
  Group mlp = register_module("ffn", Group());
  expand_ = mlp->add("fc1", Convolution(pointwiseOptions(channels, sizes.hidden)));
  local_ = mlp->add("dwconv", Convolution(depthwiseOptions(sizes.hidden, 3)));
  contract_ = mlp->add("fc2", Convolution(pointwiseOptions(sizes.hidden, channels)));
  if (!sizes.layerScale) return;
  gamma1_ = register_parameter("gamma_1", torch::empty({1, channels, 1, 1}));
  gamma2_ = register_parameter("gamma_2", torch::empty({1, channels, 1, 1}));
}

torch::Tensor RalaBlockImpl::mlp(const torch::Tensor& map) {
  const torch::Tensor x = at::gelu(expand_->forward(map));
  return contract_->forward(x + local_->forward(x));
}

torch::Tensor RalaBlockImpl::forward(const torch::Tensor& map, const PairAngles& angles,
                                     Recorder* recorder) {
  torch::Tensor x = map + positions_->forward(map);
  const torch::Tensor attended =
      ralaScaled(gamma1_, attention_->forward(normalisedChannels(norm1_, x), angles, recorder));
  recordAddition(recorder, attention_->layer(), x, attended,
                 gamma1_.defined() ? gamma1_.flatten() : torch::Tensor());
  x = x + attended;
  return recordTokens(recorder, attention_->layer(),
                      x + ralaScaled(gamma2_, mlp(normalisedChannels(norm2_, x))));
}

torch::Tensor RalaNetwork::Pair::forward(const torch::Tensor& map) {
  return convolution->forward(map, *norm);
}

RalaNetwork::RalaNetwork(const RalaConfiguration& configuration) {
  addPatchEmbedding(configuration);
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) {
    stages_.push_back(makeStage(configuration, i));
  }
  const int channels = configuration.stages.back().channels;
  const int features = configuration.projection;
  projection_ = {register_module("proj", Convolution(pointwiseOptions(channels, features))),
                 register_module("norm", BatchNorm(features))};
  if (configuration.classes > 0) {
    head_ = register_module("head", Convolution(pointwiseOptions(features, configuration.classes)));
  }
}

void RalaNetwork::addPatchEmbedding(const RalaConfiguration& configuration) {
  constexpr int strides[] = {2, 1, 1, 2};
  int inputs = 3;
  for (int i = 0; i < 4; ++i) {
    const int outputs = i < 3 ? configuration.stemChannels : configuration.stages.front().channels;
    // The activation in between has a number but no parameters.
    const std::string path = "patch_embed.proj.";
    stem_.push_back({registerAt(*this, path + std::to_string(3 * i),
                                Convolution(ralaConvolution(inputs, outputs, strides[i]))),
                     registerAt(*this, path + std::to_string(3 * i + 1), BatchNorm(outputs))});
    inputs = outputs;
  }
}

RalaNetwork::Stage RalaNetwork::makeStage(const RalaConfiguration& configuration,
                                          std::size_t index) {
  const RalaStageConfiguration& sizes = configuration.stages[index];
  const std::string name = "layers." + std::to_string(index);
  Stage stage;
  const ModulePlace rates = placeOf(*this, name + ".RoPE.angle");
  stage.rates =
      rates.parent.register_buffer(rates.name, torch::empty({sizes.channels / sizes.heads / 2}));
  for (int i = 0; i < sizes.depth; ++i) {
    const std::string path = name + ".blocks." + std::to_string(i);
    const RalaAttentionOptions attention{.name = path + ".attn",
                                         .channels = sizes.channels,
                                         .heads = sizes.heads,
                                         .linear = sizes.linear[static_cast<std::size_t>(i)]};
    stage.blocks.push_back(registerAt(*this, path, RalaBlock(attention, sizes)));
  }
  if (index + 1 == configuration.stages.size()) return stage;
  const int outputs = configuration.stages[index + 1].channels;
  stage.downsample = {registerAt(*this, name + ".downsample.reduction",
                                 Convolution(ralaConvolution(sizes.channels, outputs, 2))),
                      registerAt(*this, name + ".downsample.norm", BatchNorm(outputs))};
  return stage;
}

torch::Tensor RalaNetwork::embed(const torch::Tensor& picture) {
  torch::Tensor x = picture;
  for (std::size_t i = 0; i < stem_.size(); ++i) {
    if (i > 0) x = at::gelu(x);
    x = stem_[i].forward(x);
  }
  return x;
}

torch::Tensor RalaNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor x = embed(picture);
  for (Stage& stage : stages_) {
    const TokenGrid grid = gridOf(x);
    const PairAngles angles = gridAngles(stage.rates.slice(0, 0, c10::nullopt, 2), grid);
    for (RalaBlock& block : stage.blocks) x = block->forward(x, angles, recorder);
    if (!stage.downsample.norm.is_empty()) x = stage.downsample.forward(x);
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(x); });
    return {};
  }
  const torch::Tensor features = at::silu(projection_.forward(x)).mean({2, 3}, true);
  return head_->forward(features).flatten(1);
}

void RalaNetwork::checkInputSize(int height, int width) const {
  requireAnyInputSize(height, width);
}

}  // namespace softscope
