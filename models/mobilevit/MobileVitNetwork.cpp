#include "models/mobilevit/MobileVitNetwork.h"

#include "models/attention/MixedSoftmax.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/OnlyInputSize.h"
#include "models/layers/RecordedTokens.h"

#include <limits>
#include <utility>

namespace softscope {

namespace {

/// Returns tables of relative positions that exclude all keys at other offsets: [heads, (2 H - 1)
/// (2 W - 1)].
torch::Tensor offsetTables(const TokenGrid& grid, int heads, const torch::TensorOptions& options) {
  const auto isEven = [](int side) {
    return torch::arange(1 - side, side, torch::kLong).remainder(2).eq(0);
  };
  const torch::Tensor both = isEven(grid.height).unsqueeze(1).logical_and(isEven(grid.width));
  const torch::Tensor table =
      torch::zeros({both.numel()})
          .masked_fill_(both.flatten().logical_not(), -std::numeric_limits<float>::infinity());
  return table.to(options).expand({heads, -1}).contiguous();
}

torch::Tensor resizedMap(const torch::Tensor& map, std::int64_t height, std::int64_t width) {
  if (map.size(2) == height && map.size(3) == width) return map;
  return at::upsample_bilinear2d(map, {height, width}, false);
}

std::int64_t evenSide(std::int64_t side) {
  return side + side % 2;
}

}  // namespace

MobileVitConvolution::MobileVitConvolution(torch::nn::Module& network, const std::string& path,
                                           ConvolutionOptions options, bool hasNorm) {
  options.bias = false;
  convolution_ = registerAt(network, path + ".convolution", Convolution(options));
  if (hasNorm) norm_ = registerAt(network, path + ".normalization", BatchNorm(options.outputs));
}

torch::Tensor MobileVitConvolution::forward(const torch::Tensor& x) {
  return norm_.is_empty() ? convolution_->forward(x) : convolution_->forward(x, *norm_);
}

InvertedResidual::InvertedResidual(torch::nn::Module& network, const std::string& path, int inputs,
                                   const MobileVitStage::Residual& sizes, int stride)
    : keepsInput_(stride == 1 && inputs == sizes.outputs),
      expand_(network, path + ".expand_1x1", {.inputs = inputs, .outputs = sizes.hidden}),
      depthwise_(network, path + ".conv_3x3",
                 {.inputs = sizes.hidden,
                  .outputs = sizes.hidden,
                  .kernel = 3,
                  .stride = stride,
                  .padding = 1,
                  .groups = sizes.hidden}),
      reduce_(network, path + ".reduce_1x1", {.inputs = sizes.hidden, .outputs = sizes.outputs}) {}

torch::Tensor InvertedResidual::forward(const torch::Tensor& x) {
  const torch::Tensor y = reduce_.forward(depthwise_.activated(expand_.activated(x)));
  return keepsInput_ ? x + y : y;
}

OffsetTransformerLayer::OffsetTransformerLayer(torch::nn::Module& network, const std::string& path,
                                               const MobileVitStage& stage, int heads,
                                               double epsilon)
    : layer_(path + ".attention"), heads_(heads) {
  const int channels = stage.width;
  const auto add = [&](const std::string& name, auto module) {
    return registerAt(network, path + "." + name, module);
  };
  norm1_ = add("layernorm_before", LayerNorm(channels, epsilon));
  query_ = add("attention.attention.query", Linear(channels, channels));
  key_ = add("attention.attention.key", Linear(channels, channels));
  value_ = add("attention.attention.value", Linear(channels, channels));
  projection_ = add("attention.output.dense", Linear(channels, channels));
  norm2_ = add("layernorm_after", LayerNorm(channels, epsilon));
  expand_ = add("intermediate.dense", Linear(channels, stage.hidden));
  contract_ = add("output.dense", Linear(stage.hidden, channels));
}

torch::Tensor OffsetTransformerLayer::attend(const torch::Tensor& tokens, const TokenGrid& grid,
                                             Recorder* recorder) {
  const torch::Tensor query = splitHeads(query_->forward(tokens), heads_);
  const torch::Tensor key = splitHeads(key_->forward(tokens), heads_);
  const torch::Tensor value = splitHeads(value_->forward(tokens), heads_);
  AttentionDescription description;
  description.mechanism = "softmax_offset";
  description.queryGrid = grid;
  description.keyGrid = grid;
  const RelativePositions positions(grid, 0, tokens.device());
  const SoftmaxMixture mixture{.scale = inverseRootOfWidth(query),
                               .bias = offsetTables(grid, heads_, tokens.options()),
                               .positions = &positions};
  const torch::Tensor attended =
      mixedSoftmaxAttention(query, key, value, mixture, layer_, description, recorder);
  return projection_->forward(joinTerms({attended, {}}, layer_, projection_->weight, recorder));
}

torch::Tensor OffsetTransformerLayer::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                              Recorder* recorder) {
  const torch::Tensor attended = attend(norm1_->forward(tokens), grid, recorder);
  recordAddition(recorder, layer_, tokens, attended);
  const torch::Tensor x = tokens + attended;
  const torch::Tensor hidden = at::silu(expand_->forward(norm2_->forward(x)));
  return recordTokens(recorder, layer_, x + contract_->forward(hidden), grid);
}

MobileVitNetwork::MobileVitNetwork(const MobileVitConfiguration& configuration)
    : configuration_(configuration),
      stem_(*this, configuration.prefix + "conv_stem",
            {.inputs = 3, .outputs = configuration.stem, .kernel = 3, .stride = 2, .padding = 1}) {
  int channels = configuration.stem;
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const MobileVitStage& sizes = configuration.stages[s];
    stages_.push_back(
        makeStage(configuration.prefix + "encoder.layer." + std::to_string(s), channels, sizes));
    channels = sizes.residuals.back().outputs;
  }
  if (configuration.last > 0) {
    last_.emplace(*this, configuration.prefix + "conv_1x1_exp",
                  ConvolutionOptions{.inputs = channels, .outputs = configuration.last});
    channels = configuration.last;
  }
  if (configuration.classes > 0) {
    head_ = registerAt(*this, "classifier", Linear(channels, configuration.classes));
  }
}

MobileVitNetwork::Stage MobileVitNetwork::makeStage(const std::string& path, int inputs,
                                                    const MobileVitStage& sizes) {
  Stage stage;
  for (std::size_t i = 0; i < sizes.residuals.size(); ++i) {
    const std::string name =
        sizes.depth > 0 ? ".downsampling_layer" : ".layer." + std::to_string(i);
    const int stride = i == 0 && sizes.isStrided ? 2 : 1;
    stage.residuals.emplace_back(*this, path + name, inputs, sizes.residuals[i], stride);
    inputs = sizes.residuals[i].outputs;
  }
  if (sizes.depth == 0) return stage;
  const int kernel = configuration_.kernel;
  const auto wide = [&](int from) {
    return ConvolutionOptions{
        .inputs = from, .outputs = inputs, .kernel = kernel, .padding = kernel / 2};
  };
  Transformer transformer;
  transformer.convolution = MobileVitConvolution(*this, path + ".conv_kxk", wide(inputs));
  transformer.toTokens = MobileVitConvolution(*this, path + ".conv_1x1",
                                              {.inputs = inputs, .outputs = sizes.width}, false);
  for (int i = 0; i < sizes.depth; ++i) {
    transformer.layers.emplace_back(*this, path + ".transformer.layer." + std::to_string(i), sizes,
                                    configuration_.heads, configuration_.epsilon);
  }
  transformer.norm =
      registerAt(*this, path + ".layernorm", LayerNorm(sizes.width, configuration_.epsilon));
  transformer.fromTokens = MobileVitConvolution(*this, path + ".conv_projection",
                                                {.inputs = sizes.width, .outputs = inputs});
  transformer.fusion = MobileVitConvolution(*this, path + ".fusion", wide(2 * inputs));
  stage.transformer.emplace(std::move(transformer));
  return stage;
}

torch::Tensor MobileVitNetwork::transform(Transformer& transformer, const torch::Tensor& map,
                                          Recorder* recorder) {
  const torch::Tensor local = transformer.toTokens.forward(transformer.convolution.activated(map));
  // Patches are 2 x 2, so that odd sides are enlarged by one.
  const torch::Tensor even = resizedMap(local, evenSide(local.size(2)), evenSide(local.size(3)));
  const TokenGrid grid = gridOf(even);
  torch::Tensor tokens = tokensOf(even).contiguous();
  for (OffsetTransformerLayer& layer : transformer.layers) {
    tokens = layer.forward(tokens, grid, recorder);
  }
  const torch::Tensor back =
      resizedMap(mapOf(transformer.norm->forward(tokens), grid), local.size(2), local.size(3));
  return transformer.fusion.activated(at::cat({map, transformer.fromTokens.activated(back)}, 1));
}

torch::Tensor MobileVitNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  torch::Tensor map = stem_.activated(picture.flip(1));
  for (Stage& stage : stages_) {
    for (InvertedResidual& residual : stage.residuals) map = residual.forward(map);
    if (stage.transformer) map = transform(*stage.transformer, map, recorder);
  }
  if (last_) map = last_->activated(map);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(map); });
    return {};
  }
  return head_->forward(map.mean(at::IntArrayRef{2, 3}));
}

void MobileVitNetwork::checkInputSize(int height, int width) const {
  requireAnyInputSize(height, width);
}

}  // namespace softscope
