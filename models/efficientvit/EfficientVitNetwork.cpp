#include "models/efficientvit/EfficientVitNetwork.h"

#include "core/network/Recorder.h"
#include "models/attention/FactoredAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <torch/types.h>

#include <string>

namespace softscope {

namespace {

/// Linear attention with ReLU features, as in EfficientViT ("EfficientViT: Multi-Scale Linear
/// Attention for High-Resolution Dense Prediction", 2022, arXiv 2205.14756): A V with A_ij =
/// relu(q_i) relu(k_j)^T / (sum_l relu(q_i) relu(k_l)^T + epsilon). A row sums to one, or to zero
/// if the token's query has no positive channel in common with any key. Query, key and value are
/// [B, heads, n, d]. This function sets the description's mechanism.
torch::Tensor reluLinearAttention(const torch::Tensor& query, const torch::Tensor& key,
                                  const torch::Tensor& value, double epsilon,
                                  const std::string& layer, AttentionDescription description,
                                  Recorder* recorder) {
  description.mechanism = "litemla";
  const torch::Tensor left = at::relu(query);
  const torch::Tensor right = at::relu(key);
  return attendWithFactors({left, right, query, key, sumsAnd(epsilon)}, value, layer, description,
                           recorder);
}

torch::Tensor hardSwish(const torch::Tensor& x) {
  return at::hardswish(x);
}

torch::Tensor tanhGeluOfMap(const torch::Tensor& x) {
  return at::gelu(x, "tanh");
}

MapActivation efficientVitActivation(const EfficientVitNames& names) {
  return names.large ? tanhGeluOfMap : hardSwish;
}

double efficientVitNormEpsilon(const EfficientVitNames& names) {
  return names.large ? 1e-7 : 1e-5;
}

/// timm and the authors add different constants to the row sums that they divide by.
double efficientVitRowEpsilon(const EfficientVitNames& names) {
  return names.timm ? 1e-5 : 1e-15;
}

ConvolutionOptions threeByThree(int inputs, int outputs, int stride, bool bias) {
  return {.inputs = inputs,
          .outputs = outputs,
          .kernel = 3,
          .stride = stride,
          .padding = 1,
          .bias = bias};
}

/// Returns the convolutions of a block under the names used by its kind.
std::vector<ChainLink> efficientVitLinks(const EfficientVitBlockOptions& options) {
  using Kind = EfficientVitBlockKind;
  const auto& [name, sizes, inputs, outputs, stride, residual, names, headWidth] = options;
  const double epsilon = efficientVitNormEpsilon(names);
  const bool biases = sizes.biases;
  const auto inner = [&](const char* link, const ConvolutionOptions& convolution) {
    return ChainLink{link, {convolution, !biases, epsilon}};
  };
  const ChainLink last{"point_conv",
                       {pointwiseOptions(sizes.hidden, outputs, false), true, epsilon}};
  const ChainLink depth = inner("depth_conv", depthwiseOptions(sizes.hidden, 3, stride, biases));
  switch (sizes.kind) {
    case Kind::Residual:
      return {inner("conv1", threeByThree(inputs, sizes.hidden, stride, biases)),
              {"conv2", {threeByThree(sizes.hidden, outputs, 1, false), true, epsilon}}};
    case Kind::Separable:
      return {depth, last};
    case Kind::Fused:
      return {inner("spatial_conv", threeByThree(inputs, sizes.hidden, stride, biases)), last};
    case Kind::Inverted:
    case Kind::Attention:
      break;
  }
  return {inner("inverted_conv", pointwiseOptions(inputs, sizes.hidden, biases)), depth, last};
}

}  // namespace

EfficientVitAttentionImpl::EfficientVitAttentionImpl(const EfficientVitAttentionOptions& options)
    : options_(options) {
  const int channels = options.channels;
  const int all = 3 * channels;
  queryKeyValue_ = register_module(
      "qkv", NormedConvolution(NormedConvolutionOptions{
                 .convolution = pointwiseOptions(channels, all, false), .norm = false}));
  neighbours_ = registerAt(*this, "aggreg.0.0", Convolution(depthwiseOptions(all, 5, 1, false)));
  mixture_ = registerAt(
      *this, "aggreg.0.1",
      Convolution(ConvolutionOptions{
          .inputs = all, .outputs = all, .groups = all / options.headWidth, .bias = false}));
  projection_ =
      register_module("proj", NormedConvolution(NormedConvolutionOptions{
                                  .convolution = pointwiseOptions(2 * channels, channels, false),
                                  .epsilon = options.normEpsilon}));
}

torch::Tensor EfficientVitAttentionImpl::forward(const torch::Tensor& map, Recorder* recorder) {
  const TokenGrid grid = gridOf(map);
  const torch::Tensor plain = queryKeyValue_->forward(map);
  const torch::Tensor aggregated = mixture_->forward(neighbours_->forward(plain));
  // The channels hold query, key and value of one head, then those of the next.
  const torch::Tensor heads = at::cat({plain, aggregated}, 1)
                                  .flatten(2)
                                  .unflatten(1, {-1, 3 * options_.headWidth})
                                  .transpose(2, 3);
  const std::vector<torch::Tensor> parts = heads.chunk(3, -1);
  AttentionDescription description;
  description.queryGrid = grid;
  description.keyGrid = grid;
  const torch::Tensor attended = reluLinearAttention(parts[0], parts[1], parts[2], options_.epsilon,
                                                     options_.name, description, recorder);
  const torch::Tensor joined =
      joinTerms({attended, {}}, options_.name, projection_->weight().flatten(1), recorder);
  const torch::Tensor output = projection_->forward(mapOf(joined, grid));
  if (looksAtTerms(recorder)) {
    recordAddition(recorder, options_.name, map, output, projection_->scale());
  }
  return recordTokens(recorder, options_.name, map + output);
}

EfficientVitBlockImpl::EfficientVitBlockImpl(const EfficientVitBlockOptions& options)
    : residual_(options.residual) {
  const bool attends = options.sizes.kind == EfficientVitBlockKind::Attention;
  if (attends) {
    const EfficientVitAttentionOptions attention{
        .name = options.name + ".context_module.main",
        .channels = options.inputs,
        .headWidth = options.headWidth,
        .epsilon = efficientVitRowEpsilon(options.names),
        .normEpsilon = efficientVitNormEpsilon(options.names)};
    attention_ = registerAt(*this, "context_module.main", EfficientVitAttention(attention));
  }
  convolutions_ = registerAt(
      *this, attends ? "local_module.main" : "main",
      ConvolutionChain(efficientVitLinks(options), efficientVitActivation(options.names)));
}

torch::Tensor EfficientVitBlockImpl::forward(const torch::Tensor& map, Recorder* recorder) {
  const torch::Tensor x = attention_.is_empty() ? map : attention_->forward(map, recorder);
  const torch::Tensor convolved = convolutions_->forward(x);
  return residual_ ? x + convolved : convolved;
}

EfficientVitNetwork::EfficientVitNetwork(const EfficientVitConfiguration& configuration)
    : activation_(efficientVitActivation(configuration.names)), pooling_(configuration.pooling) {
  const int channels = configuration.stemChannels;
  const NormedConvolutionOptions stem{.convolution = threeByThree(3, channels, 2, false),
                                      .epsilon = efficientVitNormEpsilon(configuration.names)};
  stem_ = registerAt(*this, configuration.names.stem(), NormedConvolution(stem));
  for (std::size_t i = 0; i < configuration.stemBlocks.size(); ++i) {
    addBlock({.name = configuration.names.stemBlock(i),
              .sizes = configuration.stemBlocks[i],
              .inputs = channels,
              .outputs = channels,
              .names = configuration.names});
  }
  addStages(configuration);
  addHead(configuration);
}

void EfficientVitNetwork::addBlock(EfficientVitBlockOptions options) {
  const std::string path = options.name;
  blocks_.push_back(registerAt(*this, path, EfficientVitBlock(std::move(options))));
}

void EfficientVitNetwork::addStages(const EfficientVitConfiguration& configuration) {
  int inputs = configuration.stemChannels;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const EfficientVitStageConfiguration& stage = configuration.stages[s];
    for (std::size_t i = 0; i < stage.blocks.size(); ++i) {
      addBlock({.name = configuration.names.blocks(s) + std::to_string(i),
                .sizes = stage.blocks[i],
                .inputs = inputs,
                .outputs = stage.channels,
                .stride = i == 0 ? 2 : 1,
                .residual = i > 0,
                .names = configuration.names,
                .headWidth = configuration.headWidth});
      inputs = stage.channels;
    }
  }
}

void EfficientVitNetwork::addHead(const EfficientVitConfiguration& configuration) {
  const EfficientVitNames& names = configuration.names;
  const int hidden = configuration.headHidden;
  const int features = configuration.headFeatures;
  const double epsilon = efficientVitNormEpsilon(names);
  if (hidden > 0) {
    const NormedConvolutionOptions convolution{
        .convolution = pointwiseOptions(configuration.stages.back().channels, hidden, false),
        .epsilon = names.timm ? 1e-5 : epsilon};
    headConvolution_ = registerAt(*this, names.headConvolution(), NormedConvolution(convolution));
  }
  if (hidden > 0 && features > 0) {
    headLinear_ = registerAt(*this, names.headLinear(), Linear(hidden, features, false));
    headNorm_ = registerAt(*this, names.headNorm(), LayerNorm(features, epsilon));
  }
  if (configuration.classes > 0) {
    classifier_ = registerAt(*this, names.classifier(), Linear(features, configuration.classes));
  }
}

torch::Tensor EfficientVitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor x = activation_(stem_->forward(picture));
  for (EfficientVitBlock& block : blocks_) x = block->forward(x, recorder);
  if (classifier_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(x); });
    return {};
  }
  const torch::Tensor pooled =
      pooledOver(activation_(headConvolution_->forward(x)), {2, 3}, pooling_);
  return classifier_->forward(activation_(headNorm_->forward(headLinear_->forward(pooled))));
}

void EfficientVitNetwork::checkInputSize(int height, int width) const {
  requireAnyInputSize(height, width);
}

}  // namespace softscope
