#include "models/swiftformer/SwiftFormerNetwork.h"

#include "core/Error.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>
#include <utility>

namespace softscope {

namespace {

/// Divides by the length along a dimension, which counts as at least 1e-12.
torch::Tensor unitLength(const torch::Tensor& x, std::int64_t dimension) {
  return x / x.norm(2, dimension, true).clamp_min(1e-12);
}

}  // namespace

std::string SwiftFormerNames::block(std::size_t stage, int block) const {
  const std::string index = std::to_string(block);
  return areTimms ? "stages." + std::to_string(stage) + ".blocks." + index
                  : "network." + std::to_string(2 * stage) + "." + index;
}

std::string SwiftFormerNames::downsample(std::size_t stage) const {
  return areTimms ? "stages." + std::to_string(stage) + ".downsample."
                  : "network." + std::to_string(2 * stage - 1) + ".";
}

SwiftFormerConvolutions::SwiftFormerConvolutions(torch::nn::Module& network,
                                                 const std::string& path, int channels, int hidden,
                                                 const SwiftFormerNames& names) {
  depthwise_ = registerAt(network, path + ".dwconv", Convolution(depthwiseOptions(channels, 3)));
  norm_ = registerAt(network, path + ".norm", BatchNorm(channels));
  expand_ = registerAt(network, path + ".pwconv1", Convolution(pointwiseOptions(channels, hidden)));
  contract_ =
      registerAt(network, path + ".pwconv2", Convolution(pointwiseOptions(hidden, channels)));
  scale_ = registerParameterAt(network, path + "." + names.scale("layer_scale"), {channels, 1, 1});
}

torch::Tensor SwiftFormerConvolutions::forward(const torch::Tensor& map) const {
  const torch::Tensor x =
      expand_.ptr()->forward(depthwise_.ptr()->forward(map, *norm_.ptr()), Activation::Gelu);
  return map + scale_ * contract_.ptr()->forward(x);
}

SwiftFormerBlock::SwiftFormerBlock(torch::nn::Module& network, const std::string& path,
                                   const SwiftFormerStage& sizes, const SwiftFormerNames& names)
    : layer_(path + ".attn"),
      local_(network, path + ".local_representation", sizes.channels, sizes.local, names) {
  const int channels = sizes.channels;
  const auto linear = [&](const std::string& name) {
    return registerAt(network, layer_ + "." + name, Linear(channels, channels));
  };
  weights_ = registerParameterAt(network, layer_ + ".w_g", {channels, 1});
  query_ = linear("to_query");
  key_ = linear("to_key");
  projection_ = linear(names.projection());
  final_ = linear("final");
  const std::string mlp = path + ".linear.";
  norm_ = registerAt(network, mlp + "norm1", BatchNorm(channels));
  expand_ = registerAt(network, mlp + "fc1", Convolution(pointwiseOptions(channels, sizes.hidden)));
  contract_ =
      registerAt(network, mlp + "fc2", Convolution(pointwiseOptions(sizes.hidden, channels)));
  const auto scale = [&](const char* name) {
    return registerParameterAt(network, path + "." + names.scale(name), {channels, 1, 1});
  };
  scale1_ = scale("layer_scale_1");
  scale2_ = scale("layer_scale_2");
}

torch::Tensor SwiftFormerBlock::attend(const torch::Tensor& map, const TokenGrid& grid,
                                       Recorder* recorder) const {
  const torch::Tensor tokens = tokensOf(map).contiguous();
  const torch::Tensor query = unitLength(query_.ptr()->forward(tokens), -1);
  const torch::Tensor key = unitLength(key_.ptr()->forward(tokens), -1);
  const double scale = 1 / std::sqrt(static_cast<double>(tokens.size(2)));
  const torch::Tensor shares = unitLength(at::matmul(query, weights_) * scale, 1);
  if (recorder != nullptr) {
    AttentionDescription description;
    description.mechanism = "additive";
    description.queryGrid = grid;
    description.keyGrid = grid;
    description.meanOfChannels = static_cast<int>(tokens.size(2));
    description.beside = "the query itself, and each channel has a matrix of its own";
    recorder->record(AttentionRecord{
        .layer = layer_,
        .description = std::move(description),
        .map = FactorTensors{key[0].mean(-1, true).unsqueeze(0), {}, shares[0].unsqueeze(0)},
        .queryL1 = query[0].abs().sum(-1).unsqueeze(0),
        .keyL1 = key[0].abs().sum(-1).unsqueeze(0)});
  }
  const torch::Tensor attended = (key * (shares * query).sum(1, true)).unsqueeze(1);
  const torch::Tensor weight =
      looksAtTerms(recorder) ? at::matmul(final_->weight, projection_->weight) : torch::Tensor();
  const torch::Tensor joined = joinTerms({attended, {}}, layer_, weight, recorder);
  return final_.ptr()->forward(projection_.ptr()->forward(joined) + query);
}

torch::Tensor SwiftFormerBlock::forward(const torch::Tensor& map, Recorder* recorder) const {
  const torch::Tensor local = local_.forward(map);
  const TokenGrid grid = gridOf(map);
  const torch::Tensor attended = scale1_ * mapOf(attend(local, grid, recorder), grid);
  recordAddition(recorder, layer_, tokensOf(local), tokensOf(attended), scale1_.flatten());
  const torch::Tensor x = local + attended;
  const torch::Tensor hidden = expand_.ptr()->forward(norm_.ptr()->forward(x), Activation::Gelu);
  return recordTokens(recorder, layer_, x + scale2_ * contract_.ptr()->forward(hidden));
}

SwiftFormerNetwork::SwiftFormerNetwork(const SwiftFormerConfiguration& configuration) {
  const SwiftFormerNames& names = configuration.names;
  const std::string stem = names.stem();
  const int first = configuration.stages.front().channels;
  stem1_ = addNormed(stem + "0", stem + "1", 3, configuration.stemChannels);
  stem2_ = addNormed(stem + "3", stem + "4", configuration.stemChannels, first);
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    const SwiftFormerStage& sizes = configuration.stages[s];
    Stage stage;
    if (s > 0) {
      const std::string path = names.downsample(s);
      stage.downsample = addNormed(path + "proj", path + "norm",
                                   configuration.stages[s - 1].channels, sizes.channels);
    }
    for (int block = 0; block + 1 < sizes.depth; ++block) {
      stage.convolutions.emplace_back(*this, names.block(s, block), sizes.channels, sizes.convolved,
                                      names);
    }
    stage.attention.emplace_back(*this, names.block(s, sizes.depth - 1), sizes, names);
    stages_.push_back(std::move(stage));
  }
  const int channels = configuration.stages.back().channels;
  norm_ = register_module("norm", BatchNorm(channels));
  if (configuration.classes == 0) return;
  head_ = register_module("head", Linear(channels, configuration.classes));
  if (configuration.isDistilled) {
    distilledHead_ =
        register_module(names.distilledHead(), Linear(channels, configuration.classes));
  }
}

SwiftFormerNetwork::NormedPart SwiftFormerNetwork::addNormed(const std::string& convolution,
                                                             const std::string& norm, int inputs,
                                                             int outputs) {
  const ConvolutionOptions options{
      .inputs = inputs, .outputs = outputs, .kernel = 3, .stride = 2, .padding = 1};
  return {registerAt(*this, convolution, Convolution(options)),
          registerAt(*this, norm, BatchNorm(outputs))};
}

torch::Tensor SwiftFormerNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const auto normed = [](const NormedPart& part, const torch::Tensor& x, Activation activation) {
    return part.convolution.ptr()->forward(x, *part.norm.ptr(), activation);
  };
  torch::Tensor map = normed(stem2_, normed(stem1_, picture, Activation::Relu), Activation::Relu);
  for (const Stage& stage : stages_) {
    if (!stage.downsample.convolution.is_empty()) {
      map = normed(stage.downsample, map, Activation::None);
    }
    for (const SwiftFormerConvolutions& block : stage.convolutions) map = block.forward(map);
    map = stage.attention.front().forward(map, recorder);
  }
  const torch::Tensor last = norm_->forward(map);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(last); });
    return {};
  }
  const torch::Tensor mean = last.mean({2, 3});
  if (distilledHead_.is_empty()) return head_->forward(mean);
  return (head_->forward(mean) + distilledHead_->forward(mean)) / 2;
}

void SwiftFormerNetwork::checkInputSize(int height, int width) const {
  if (height > 0 && width > 0) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " has no pixels");
}

}  // namespace softscope
