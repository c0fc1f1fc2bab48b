#include "models/mila/MilaNetwork.h"

#include "core/Error.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"
#include "models/linear/RotatedLinearAttention.h"

namespace softscope {

MilaAttentionImpl::MilaAttentionImpl(const MilaAttentionOptions& options) : options_(options) {
  const int channels = options.channels;
  queryKey_ = register_module("qk", Linear(channels, 2 * channels, options.bias));
  positions_ = register_module("lepe", Convolution(depthwiseOptions(channels, 3)));
  Group rope = register_module("rope", Group());
  rotations_ = rope->register_buffer(
      "rotations", torch::empty({options.grid.height, options.grid.width, channels / 2, 2}));
}

HeadTerms MilaAttentionImpl::forward(const torch::Tensor& tokens, Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKey_->forward(tokens).chunk(2, -1);
  const torch::Tensor query = splitHeads(parts[0], options_.heads);
  const torch::Tensor key = splitHeads(parts[1], options_.heads);
  const torch::Tensor attended = rotatedLinearAttention(
      {query, key, positiveElu(query), positiveElu(key), angles()},
      splitHeads(tokens, options_.heads), options_.name, describe(), recorder);
  const torch::Tensor beside = tokensOf(positions_->forward(mapOf(tokens, options_.grid)));
  return {attended, splitHeads(beside, options_.heads)};
}

PairAngles MilaAttentionImpl::angles() const {
  // [H, W, C / 2, 2] -> [heads, n, d / 2, 2]
  const torch::Tensor heads =
      rotations_.flatten(0, 1).unflatten(1, {options_.heads, -1}).transpose(0, 1);
  return {heads.select(-1, 0), heads.select(-1, 1)};
}

AttentionDescription MilaAttentionImpl::describe() const {
  AttentionDescription description;
  description.mechanism = "mlla";
  description.queryGrid = options_.grid;
  description.keyGrid = options_.grid;
  description.filtersChannels = true;
  description.gated = true;
  return description;
}

namespace {

torch::Tensor milaRelu(const torch::Tensor& x) {
  return at::relu(x);
}

ConvolutionOptions milaStemOptions(int inputs, int outputs, int stride) {
  return {.inputs = inputs,
          .outputs = outputs,
          .kernel = 3,
          .stride = stride,
          .padding = 1,
          .bias = false};
}

}  // namespace

MilaBlockImpl::MilaBlockImpl(const MilaAttentionOptions& attention, int hidden)
    : grid_(attention.grid) {
  const int channels = attention.channels;
  const auto convolution = [&](const char* name) {
    return register_module(name, Convolution(depthwiseOptions(channels, 3)));
  };
  const auto linear = [&](const char* name) {
    return register_module(name, Linear(channels, channels));
  };
  positions1_ = convolution("cpe1");
  norm1_ = register_module("norm1", LayerNorm(channels, milaNormEpsilon));
  input_ = linear("in_proj");
  gate_ = linear("act_proj");
  convolution_ = convolution("dwc");
  attention_ = register_module("attn", MilaAttention(attention));
  output_ = linear("out_proj");
  positions2_ = convolution("cpe2");
  norm2_ = register_module("norm2", LayerNorm(channels, milaNormEpsilon));
  Group mlp = register_module("mlp", Group());
  expand_ = mlp->add("fc1", Linear(channels, hidden));
  contract_ = mlp->add("fc2", Linear(hidden, channels));
}

torch::Tensor MilaBlockImpl::addPositions(const torch::Tensor& tokens,
                                          const Convolution& convolution) const {
  return tokens + tokensOf(convolution.ptr()->forward(mapOf(tokens, grid_)));
}

torch::Tensor MilaBlockImpl::attend(const torch::Tensor& tokens, Recorder* recorder) {
  const torch::Tensor x = norm1_->forward(tokens);
  const torch::Tensor map = convolution_->forward(mapOf(input_->forward(x), grid_));
  HeadTerms terms = attention_->forward(tokensOf(at::silu(map)).contiguous(), recorder);
  terms.gate = splitHeads(at::silu(gate_->forward(x)), attention_->options().heads);
  return output_->forward(joinTerms(terms, attention_->options().name, output_->weight, recorder));
}

torch::Tensor MilaBlockImpl::forward(const torch::Tensor& tokens, Recorder* recorder) {
  torch::Tensor x = addPositions(tokens, positions1_);
  const torch::Tensor attended = attend(x, recorder);
  recordAddition(recorder, attention_->options().name, x, attended);
  x = addPositions(x + attended, positions2_);
  const torch::Tensor hidden = expand_->forward(norm2_->forward(x), Activation::Gelu);
  return recordTokens(recorder, attention_->options().name, x + contract_->forward(hidden), grid_);
}

MilaStemImpl::MilaStemImpl(int channels, int hidden, int outputs) {
  first_ = register_module(
      "conv1", NormedConvolution(NormedConvolutionOptions{milaStemOptions(3, channels, 2)}));
  residual_ = register_module(
      "conv2",
      ConvolutionChain(std::vector<ChainLink>{{"0", {milaStemOptions(channels, channels, 1)}},
                                              {"1", {milaStemOptions(channels, channels, 1)}}},
                       milaRelu));
  last_ = register_module(
      "conv3",
      ConvolutionChain(std::vector<ChainLink>{{"0", {milaStemOptions(channels, hidden, 2)}},
                                              {"1", {pointwiseOptions(hidden, outputs, false)}}},
                       milaRelu));
}

torch::Tensor MilaStemImpl::forward(const torch::Tensor& picture) {
  const torch::Tensor x = at::relu(first_->forward(picture));
  return last_->forward(residual_->forward(x) + x);
}

ConvolutionChain milaDownsample(int inputs, int hidden, int outputs) {
  return ConvolutionChain(
      std::vector<ChainLink>{
          {"0", {.convolution = pointwiseOptions(inputs, hidden), .norm = false}},
          {"1", {.convolution = depthwiseOptions(hidden, 3, 2), .norm = false}},
          {"2", {.convolution = pointwiseOptions(hidden, outputs)}}},
      milaRelu);
}

MilaNetwork::MilaNetwork(const MilaConfiguration& configuration) : configuration_(configuration) {
  stem_ =
      register_module("patch_embed", MilaStem(configuration.stemChannels, configuration.stemHidden,
                                              configuration.stages.front().channels));
  for (std::size_t i = 0; i < configuration.stages.size(); ++i) stages_.push_back(makeStage(i));
  const int channels = configuration.stages.back().channels;
  norm_ = register_module("norm", LayerNorm(channels, milaNormEpsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

MilaNetwork::Stage MilaNetwork::makeStage(std::size_t index) {
  const MilaStageConfiguration& sizes = configuration_.stages[index];
  const std::string name = "layers." + std::to_string(index);
  Stage stage;
  for (int i = 0; i < sizes.depth; ++i) {
    const std::string path = name + ".blocks." + std::to_string(i);
    const MilaAttentionOptions attention{.name = path + ".attn",
                                         .channels = sizes.channels,
                                         .heads = sizes.heads,
                                         .grid = sizes.grid,
                                         .bias = configuration_.queryBias};
    stage.blocks.push_back(registerAt(*this, path, MilaBlock(attention, sizes.hidden)));
  }
  if (index + 1 == configuration_.stages.size()) return stage;
  const int hidden = sizes.downsampleHidden;
  const int outputs = configuration_.stages[index + 1].channels;
  stage.downsample =
      registerAt(*this, name + ".downsample.conv", milaDownsample(sizes.channels, hidden, outputs));
  return stage;
}

torch::Tensor MilaNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor tokens = tokensOf(stem_->forward(picture)).contiguous();
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    for (MilaBlock& block : stages_[i].blocks) tokens = block->forward(tokens, recorder);
    if (stages_[i].downsample.is_empty()) continue;
    const torch::Tensor map = mapOf(tokens, configuration_.stages[i].grid);
    tokens = tokensOf(stages_[i].downsample->forward(map)).contiguous();
  }
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return norm_->forward(tokens); });
    return {};
  }
  return head_->forward(norm_->forward(tokens).mean(1));
}

void MilaNetwork::checkInputSize(int height, int width) const {
  TokenGrid grid{halvedSide(halvedSide(height)), halvedSide(halvedSide(width))};
  bool fits = height > 0 && width > 0;
  for (const MilaStageConfiguration& stage : configuration_.stages) {
    fits = fits && grid == stage.grid;
    grid = {halvedSide(grid.height), halvedSide(grid.width)};
  }
  if (fits) return;
  const TokenGrid& tokens = configuration_.stages.front().grid;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " does not fit this model, whose rotations of queries and keys are for " +
                        "pictures of " + std::to_string(milaPatch * tokens.height) + " x " +
                        std::to_string(milaPatch * tokens.width) + " alone");
}

}  // namespace softscope
