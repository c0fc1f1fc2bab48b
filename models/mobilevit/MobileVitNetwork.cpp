#include "models/mobilevit/MobileVitNetwork.h"

#include "core/Error.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <utility>

namespace softscope {

namespace {

torch::Tensor resizedMap(const torch::Tensor& map, std::int64_t height, std::int64_t width) {
  if (map.size(2) == height && map.size(3) == width) return map;
  return at::upsample_bilinear2d(map, {height, width}, false);
}

std::int64_t evenSide(std::int64_t side) {
  return side + side % 2;
}

}  // namespace

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
  const TokenGrid grid{static_cast<int>(even.size(2)), static_cast<int>(even.size(3))};
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
  if (height >= 1 && width >= 1) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " is empty; this model takes any size from 1 pixel a side");
}

}  // namespace softscope
