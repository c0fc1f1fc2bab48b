#include "models/soft/SoftNetwork.h"

#include "core/Error.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <utility>

namespace softscope {

StageAttentionMaker softAttention(const SoftConfiguration& configuration) {
  return [configuration](std::size_t stage, const std::string& name) {
    return SoftAttention(SoftAttentionOptions{.name = name,
                                              .channels = configuration.channels[stage],
                                              .heads = configuration.heads[stage],
                                              .ratio = configuration.ratios[stage],
                                              .convolution = configuration.convolutions[stage],
                                              .mechanism = configuration.mechanism,
                                              .pooledLandmarks = configuration.pooledLandmarks,
                                              .landmarks = configuration.landmarks,
                                              .steps = configuration.newtonSteps})
        .ptr();
  };
}

SoftBlockImpl::SoftBlockImpl(std::shared_ptr<StageAttention> attention, int channels, int hidden) {
  Group group = register_module("att", Group());
  attention_ = group->add("mha", std::move(attention));
  norm1_ = group->add("norm1", LayerNorm(channels, 1e-5));
  expand_ = group->add("ff1", Linear(channels, hidden));
  contract_ = group->add("ff2", Linear(hidden, channels));
  norm2_ = group->add("norm2", LayerNorm(channels, 1e-5));
  attentionDrop_ = group->add("drop_path1", DropPath());
  mlpDrop_ = group->add("drop_path2", DropPath());
}

torch::Tensor SoftBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const torch::Tensor attended = attention_->forward(tokens, grid, recorder);
  recordAddition(recorder, attention_->layer(), tokens, attended);
  const torch::Tensor x = norm1_->forward(tokens + attentionDrop_->forward(attended));
  const torch::Tensor hidden = expand_->forward(x, Activation::TanhGelu);
  const torch::Tensor out = norm2_->forward(x + mlpDrop_->forward(contract_->forward(hidden)));
  return recordTokens(recorder, attention_->layer(), out, grid);
}

SoftLastBlockImpl::SoftLastBlockImpl(const std::string& name, int channels, int heads, int hidden,
                                     bool queryBias)
    : attentionName_(name + ".attn"), heads_(heads) {
  norm1_ = register_module("norm1", LayerNorm(channels, softLastEpsilon));
  Group attention = register_module("attn", Group());
  query_ = attention->add("q", Linear(channels, channels, queryBias));
  keyValue_ = attention->add("kv", Linear(channels, 2 * channels, queryBias));
  projection_ = attention->add("proj", Linear(channels, channels));
  norm2_ = register_module("norm2", LayerNorm(channels, softLastEpsilon));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(channels, hidden));
  contract_ = mlp->add("fc2", Linear(hidden, channels));
  attentionDrop_ = register_module("drop_path1", DropPath());
  mlpDrop_ = register_module("drop_path2", DropPath());
}

torch::Tensor SoftLastBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                         Recorder* recorder) {
  const torch::Tensor attended = attend(norm1_->forward(tokens), grid, recorder);
  recordAddition(recorder, attentionName_, tokens, attended);
  const torch::Tensor x = tokens + attentionDrop_->forward(attended);
  const torch::Tensor hidden = expand_->forward(norm2_->forward(x), Activation::Gelu);
  return recordTokens(recorder, attentionName_, x + mlpDrop_->forward(contract_->forward(hidden)),
                      grid);
}

torch::Tensor SoftLastBlockImpl::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                                        Recorder* recorder) {
  const torch::Tensor query = splitHeads(query_->forward(tokens), heads_);
  const std::vector<torch::Tensor> keyValue = keyValue_->forward(tokens).chunk(2, -1);
  AttentionDescription description;
  description.mechanism = "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = 1;
  const torch::Tensor attended =
      softmaxAttention(query, splitHeads(keyValue[0], heads_), splitHeads(keyValue[1], heads_),
                       inverseRootOfWidth(query), attentionName_, description, recorder);
  return projection_->forward(
      joinTerms({attended, {}}, attentionName_, projection_->weight, recorder));
}

SoftNetwork::SoftNetwork(const SoftConfiguration& configuration)
    : SoftNetwork(configuration, softAttention(configuration)) {}

SoftNetwork::SoftNetwork(const SoftConfiguration& configuration,
                         const StageAttentionMaker& makeAttention)
    : configuration_(configuration) {
  for (int stage = 0; stage < SoftConfiguration::stages; ++stage) {
    const auto s = static_cast<std::size_t>(stage);
    positions_[s] = register_parameter(
        "pos_embed" + std::to_string(stage + 1),
        torch::empty({1, configuration.positions[s], configuration.channels[s]}));
    addPatchEmbedding(stage);
  }
  classToken_ =
      register_parameter("cls_token", torch::empty({1, 1, configuration.channels.back()}));
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    const std::string stageName = "block" + std::to_string(s + 1);
    Group group = register_module(stageName, Group());
    for (int depth = 0; depth < configuration.depths[s]; ++depth) {
      const std::string index = std::to_string(depth);
      const auto attention = makeAttention(s, stageName + "." + index + ".att.mha.attn");
      blocks_[s].push_back(group->add(
          index, SoftBlock(attention, configuration.channels[s], configuration.hidden[s])));
    }
  }
  Group lastStage = register_module("block4", Group());
  for (int depth = 0; depth < configuration.depths[3]; ++depth) {
    const std::string index = std::to_string(depth);
    lastBlocks_.push_back(lastStage->add(
        index, SoftLastBlock("block4." + index, configuration.channels[3], configuration.heads[3],
                             configuration.hidden[3], configuration.queryBias)));
  }
  norm_ = register_module("norm", LayerNorm(configuration.channels[3], softLastEpsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(configuration.channels[3], configuration.classes));
  }
}

SoftNetwork::ConvolutionAndNorm SoftNetwork::addConvolution(Group& group, int index,
                                                            const ConvolutionOptions& options) {
  // The published stems are sequences of convolution, norm and ReLU; the ReLU has no parameters.
  return {group->add(std::to_string(3 * index), Convolution(options)),
          group->add(std::to_string(3 * index + 1), BatchNorm(options.outputs))};
}

void SoftNetwork::addPatchEmbedding(int stage) {
  const auto s = static_cast<std::size_t>(stage);
  Group embedding = register_module("patch_embed" + std::to_string(stage + 1), Group());
  Group projection = embedding->add("proj", Group());
  const auto convolution = [](int inputs, int outputs, int stride) {
    return ConvolutionOptions{
        .inputs = inputs, .outputs = outputs, .kernel = 3, .stride = stride, .padding = 1};
  };
  const int outputs = configuration_.channels[s];
  std::vector<ConvolutionOptions> layers;
  if (stage == 0) {
    const int stem = configuration_.stem;
    layers = {convolution(3, stem, 2), convolution(stem, stem, 1), convolution(stem, outputs, 2)};
  } else {
    layers = {convolution(configuration_.channels[s - 1], outputs, 2)};
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    embeddings_[s].push_back(addConvolution(projection, static_cast<int>(i), layers[i]));
  }
}

torch::Tensor SoftNetwork::embed(int stage, const torch::Tensor& map) const {
  torch::Tensor x = map;
  for (const ConvolutionAndNorm& layer : embeddings_[static_cast<std::size_t>(stage)]) {
    x = layer.convolution->forward(x, *layer.norm.ptr(), Activation::Relu);
  }
  return x;
}

torch::Tensor SoftNetwork::positions(int stage, const TokenGrid& grid) const {
  const torch::Tensor& table = positions_[static_cast<std::size_t>(stage)];
  const std::int64_t prefix = stage == 3 ? 1 : 0;
  const std::int64_t count = table.size(1) - prefix;
  const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
  torch::Tensor patches = table.slice(1, prefix);
  if (grid != TokenGrid{side, side}) {
    patches = tokensOf(
        at::upsample_bilinear2d(mapOf(patches, {side, side}), {grid.height, grid.width}, false));
  }
  return prefix == 0 ? patches : at::cat({table.slice(1, 0, prefix), patches}, 1);
}

torch::Tensor SoftNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = picture;
  for (std::size_t s = 0; s < blocks_.size(); ++s) {
    const int stage = static_cast<int>(s);
    map = embed(stage, map);
    const TokenGrid grid = gridOf(map);
    torch::Tensor tokens = tokensOf(map) + positions(stage, grid);
    for (SoftBlock& block : blocks_[s]) tokens = block->forward(tokens, grid, recorder);
    map = mapOf(tokens, grid);
  }
  return classify(embed(3, map), recorder);
}

torch::Tensor SoftNetwork::classify(const torch::Tensor& map, Recorder* recorder) {
  const TokenGrid grid = gridOf(map);
  const torch::Tensor classTokens = classToken_.expand({map.size(0), -1, -1});
  torch::Tensor tokens = at::cat({classTokens, tokensOf(map)}, 1) + positions(3, grid);
  for (SoftLastBlock& block : lastBlocks_) tokens = block->forward(tokens, grid, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return head_->forward(norm_->forward(tokens).select(1, 0));
}

void SoftNetwork::checkInputSize(int height, int width) const {
  // A stage with n tokens per side has floor(n / ratio) landmarks per side, and needs at least one.
  int stride = 2;
  for (std::size_t s = 0; s < configuration_.ratios.size(); ++s) {
    stride *= 2;
    const int smallest = stride * (configuration_.ratios[s] - 1) + 1;
    if (height < smallest || width < smallest) {
      throw InspectionError("a picture of " + std::to_string(height) + " x " +
                            std::to_string(width) + " is too small for this model: stage " +
                            std::to_string(s + 1) + " has no landmark below " +
                            std::to_string(smallest) + " pixels a side");
    }
  }
}

}  // namespace softscope
