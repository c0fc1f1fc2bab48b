#include "models/vim/VimNetwork.h"

#include "core/Error.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

constexpr double vimNormEpsilon = 1e-5;

}  // namespace

VimMixerImpl::VimMixerImpl(std::string name, const VimConfiguration& sizes)
    : name_(std::move(name)), sizes_(sizes) {
  forward_ = addDirection(false);
  backward_ = addDirection(true);
  input_ = register_module("in_proj", Linear(sizes.channels, 2 * sizes.inner, false));
  output_ = register_module("out_proj", Linear(sizes.inner, sizes.channels, false));
}

VimMixerImpl::Direction VimMixerImpl::addDirection(bool isBackward) {
  const std::string suffix = isBackward ? "_b" : "";
  const auto add = [&](const std::string& name, at::IntArrayRef shape) {
    return registerParameterAt(*this, name, shape);
  };
  const int inner = sizes_.inner;
  Direction direction;
  direction.logRates = add("A" + suffix + "_log", {inner, sizes_.states});
  direction.skips = add("D" + suffix, {inner});
  direction.convolution = add("conv1d" + suffix + ".weight", {inner, 1, sizes_.taps});
  direction.convolutionBias = add("conv1d" + suffix + ".bias", {inner});
  direction.projection =
      add("x_proj" + suffix + ".weight", {sizes_.ranks + 2 * sizes_.states, inner});
  direction.stepWeight = add("dt_proj" + suffix + ".weight", {inner, sizes_.ranks});
  direction.stepBias = add("dt_proj" + suffix + ".bias", {inner});
  return direction;
}

torch::Tensor VimMixerImpl::convolve(const Direction& direction, const torch::Tensor& x) const {
  const torch::Tensor padded = at::constant_pad_nd(x.transpose(1, 2), {sizes_.taps - 1, 0});
  const torch::Tensor convolved =
      at::conv1d(padded, direction.convolution, direction.convolutionBias, 1, at::IntArrayRef{0}, 1,
                 sizes_.inner);
  return at::silu(convolved).transpose(1, 2);
}

void VimMixerImpl::record(const SelectiveScan& scan, Recorder* recorder) const {
  AttentionDescription description;
  description.mechanism = "mamba";
  description.queryGrid = TokenGrid{sizes_.side, sizes_.side};
  description.keyGrid = description.queryGrid;
  description.prefixTokens = 1;
  description.patchesBeforePrefix = sizes_.patchesBeforeClass();
  description.gated = true;
  description.beside =
      "D V, a convolution along the sequence before V and a gate behind both, and each channel and "
      "direction has a matrix and a V of its own";
  std::vector<int> order;
  for (int place = 0; place < sizes_.side * sizes_.side + 1; ++place) {
    order.push_back(tokenInSequence(description, place));
  }
  const std::vector<int> reversed(order.rbegin(), order.rend());
  recorder->record(AttentionRecord{.layer = name_,
                                   .description = std::move(description),
                                   .map = mapOfScans(scan, {order, reversed})});
}

torch::Tensor VimMixerImpl::forward(const torch::Tensor& tokens, Recorder* recorder) {
  const std::vector<torch::Tensor> parts = input_->forward(tokens).chunk(2, -1);
  const torch::Tensor values =
      at::stack({convolve(forward_, parts[0]), convolve(backward_, parts[0].flip(1))}, 1);
  const auto both = [&](torch::Tensor Direction::*part) {
    return at::stack({forward_.*part, backward_.*part});
  };
  const SelectiveScan scan =
      projectSelectiveScan(values, both(&Direction::projection), both(&Direction::stepWeight),
                           both(&Direction::stepBias), both(&Direction::logRates));
  if (recorder != nullptr) record(scan, recorder);
  const auto inSequence = [](const torch::Tensor& scanned) {
    return at::stack({scanned.select(1, 0), scanned.select(1, 1).flip(1)}, 1);
  };
  SummedTerms terms;
  terms.attention = inSequence(scanSelectively(scan, values, recorder));
  terms.beside = inSequence(values * both(&Direction::skips).unsqueeze(1));
  terms.gate = at::silu(parts[1]);
  if (sizes_.halvesScans) terms.gate = terms.gate / 2;
  return output_->forward(joinSummedTerms(terms, name_, output_->weight, recorder));
}

VimNetwork::VimNetwork(const VimConfiguration& configuration) : configuration_(configuration) {
  const int channels = configuration.channels;
  const int tokens = configuration.side * configuration.side + 1;
  classToken_ = register_parameter("cls_token", torch::empty({1, 1, channels}));
  positions_ = register_parameter("pos_embed", torch::empty({1, tokens, channels}));
  embeddingWeight_ = registerParameterAt(*this, "patch_embed.proj.weight",
                                         {channels, 3, configuration.patch, configuration.patch});
  embeddingBias_ = registerParameterAt(*this, "patch_embed.proj.bias", {channels});
  for (int i = 0; i < configuration.depth; ++i) {
    const std::string path = "layers." + std::to_string(i);
    const std::string mixer = path + ".mixer";
    layers_.push_back({registerAt(*this, path + ".norm", RmsNorm(channels, vimNormEpsilon)),
                       registerAt(*this, mixer, VimMixer(mixer, configuration))});
  }
  norm_ = register_module("norm_f", RmsNorm(channels, vimNormEpsilon));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

int VimNetwork::strideFor(int pictureSide) const {
  for (const int stride : {configuration_.patch, configuration_.patch / 2}) {
    if (stride < 1) continue;
    if ((configuration_.side - 1) * stride + configuration_.patch == pictureSide) return stride;
  }
  return 0;
}

torch::Tensor VimNetwork::classFirst(const torch::Tensor& tokens) const {
  const int before = configuration_.patchesBeforeClass();
  return at::cat({tokens.slice(1, before, before + 1), tokens.slice(1, 0, before),
                  tokens.slice(1, before + 1)},
                 1);
}

torch::Tensor VimNetwork::classInPlace(const torch::Tensor& tokens) const {
  const int before = configuration_.patchesBeforeClass();
  return at::cat(
      {tokens.slice(1, 1, before + 1), tokens.slice(1, 0, 1), tokens.slice(1, before + 1)}, 1);
}

torch::Tensor VimNetwork::forward(const torch::Tensor& picture, Recorder* recorder) {
  const torch::Tensor map = at::conv2d(
      picture, embeddingWeight_, embeddingBias_,
      {strideFor(static_cast<int>(picture.size(2))), strideFor(static_cast<int>(picture.size(3)))});
  const torch::Tensor patches = tokensOf(map);
  const int before = configuration_.patchesBeforeClass();
  torch::Tensor residual =
      at::cat({patches.slice(1, 0, before), classToken_.expand({patches.size(0), -1, -1}),
               patches.slice(1, before)},
              1) +
      positions_;
  const TokenGrid grid{configuration_.side, configuration_.side};
  for (Layer& layer : layers_) {
    const torch::Tensor mixed = layer.mixer->forward(layer.norm->forward(residual), recorder);
    if (recorder == nullptr) {
      residual = residual + mixed;
      continue;
    }
    recordAddition(recorder, layer.mixer->layer(), residual, mixed);
    const torch::Tensor recorded = classFirst(residual + mixed);
    recordTokens(recorder, layer.mixer->layer(), recorded, grid);
    // The later layers are given the recorded tensor, so that their gradients reach it.
    residual = classInPlace(recorded);
  }
  const torch::Tensor last = norm_->forward(residual);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return last; });
    return {};
  }
  return head_->forward(last.select(1, before));
}

void VimNetwork::checkInputSize(int height, int width) const {
  if (strideFor(height) > 0 && strideFor(width) > 0) return;
  const int patch = configuration_.patch;
  const auto side = [&](int stride) {
    return std::to_string((configuration_.side - 1) * stride + patch);
  };
  throw InspectionError(
      "a picture of " + std::to_string(height) + " x " + std::to_string(width) +
      " does not fit this model, whose positions are for " + std::to_string(configuration_.side) +
      " x " + std::to_string(configuration_.side) + " patches: pictures of " + side(patch) + " x " +
      side(patch) + ", or of " + side(std::max(1, patch / 2)) + " x " +
      side(std::max(1, patch / 2)) + " if its patches overlap by half");
}

}  // namespace softscope
