#include "models/mobilevit/MobileVitBlocks.h"

#include "models/attention/MixedSoftmax.h"
#include "models/attention/SoftmaxAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <limits>

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

}  // namespace softscope
