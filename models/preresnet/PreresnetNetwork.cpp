#include "models/preresnet/PreresnetNetwork.h"

#include "models/layers/Initialisation.h"
#include "models/layers/RecordedTokens.h"

#include <algorithm>

namespace softscope {

namespace {

Convolution convolution(int inputs, int outputs, int kernel, int stride = 1) {
  return Convolution(ConvolutionOptions{.inputs = inputs,
                                        .outputs = outputs,
                                        .kernel = kernel,
                                        .stride = stride,
                                        .padding = kernel / 2,
                                        .bias = false});
}

}  // namespace

ResidualBlockImpl::ResidualBlockImpl(const ResidualBlockOptions& options) {
  const auto [inputs, outputs, bottleneck, stride] = options;
  const int inner = bottleneck > 0 ? bottleneck : outputs;
  norm1_ = register_module("norm1", BatchNorm(inputs));
  norm2_ = register_module("norm2", BatchNorm(inner));
  if (bottleneck > 0) {
    convolution1_ = register_module("conv1", convolution(inputs, inner, 1));
    convolution2_ = register_module("conv2", convolution(inner, inner, 3, stride));
    norm3_ = register_module("norm3", BatchNorm(inner));
    convolution3_ = register_module("conv3", convolution(inner, outputs, 1));
  } else {
    convolution1_ = register_module("conv1", convolution(inputs, inner, 3, stride));
    convolution2_ = register_module("conv2", convolution(inner, outputs, 3));
  }
  if (stride != 1 || inputs != outputs) {
    shortcut_ = register_module("shortcut", convolution(inputs, outputs, 1, stride));
  }
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  const torch::Tensor activated = norm1_->forward(x).relu_();
  torch::Tensor y = convolution1_->forward(activated);
  y = convolution2_->forward(norm2_->forward(y).relu_());
  if (!convolution3_.is_empty()) y = convolution3_->forward(norm3_->forward(y).relu_());
  return y.add_(shortcut_.is_empty() ? x : shortcut_->forward(activated));
}

void ResidualBlockImpl::rescaleInitialisation() {
  const torch::NoGradGuard noGradient;
  for (Convolution layer : {convolution1_, convolution2_, convolution3_, shortcut_}) {
    if (!layer.is_empty()) rescale(*layer, heDeviation(*layer));
  }
}

bool PreresnetConfiguration::hasNonLocal() const {
  return std::any_of(stages.begin(), stages.end(),
                     [](const auto& stage) { return !stage.nonLocal.empty(); });
}

PreresnetStageImpl::PreresnetStageImpl(const PreresnetConfiguration& configuration, int stage) {
  const auto s = static_cast<std::size_t>(stage);
  const PreresnetStageConfiguration& sizes = configuration.stages[s];
  const std::string path = "stage" + std::to_string(stage + 1) + ".";
  int inputs = stage == 0 ? configuration.stemChannels : configuration.stages[s - 1].channels;
  for (int i = 0; i < sizes.depth; ++i) {
    const ResidualBlockOptions block{.inputs = inputs,
                                     .outputs = sizes.channels,
                                     .bottleneck = sizes.bottleneck,
                                     .stride = stage > 0 && i == 0 ? 2 : 1};
    blocks_.push_back(register_module("block" + std::to_string(i), ResidualBlock(block)));
    inputs = sizes.channels;
    nonLocal_.emplace_back(nullptr);
    if (std::count(sizes.nonLocal.begin(), sizes.nonLocal.end(), i) == 0) continue;
    const std::string name = "nonlocal" + std::to_string(i);
    const NonLocalBlockOptions options{.name = path + name,
                                       .channels = sizes.channels,
                                       .embedding = sizes.embedding,
                                       .heads = configuration.heads,
                                       .norm = configuration.nonLocalNorm,
                                       .mechanism = configuration.mechanism,
                                       .softmaxScale = {}};
    nonLocal_.back() = register_module(name, NonLocalBlock(options));
  }
}

torch::Tensor PreresnetStageImpl::forward(const torch::Tensor& map, Recorder* recorder) {
  torch::Tensor x = map;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    x = blocks_[i]->forward(x);
    if (!nonLocal_[i].is_empty()) x = nonLocal_[i]->forward(x, recorder);
  }
  return x;
}

void PreresnetStageImpl::rescaleInitialisation() {
  for (ResidualBlock& block : blocks_) block->rescaleInitialisation();
  for (NonLocalBlock& block : nonLocal_) {
    if (!block.is_empty()) block->rescaleInitialisation();
  }
}

PreresnetNetwork::PreresnetNetwork(const PreresnetConfiguration& configuration) {
  stem_ = register_module("stem",
                          Convolution(ConvolutionOptions{.inputs = 3,
                                                         .outputs = configuration.stemChannels,
                                                         .kernel = configuration.stemKernel,
                                                         .padding = configuration.stemKernel / 2,
                                                         .bias = false}));
  for (std::size_t s = 0; s < configuration.stages.size(); ++s) {
    stages_.push_back(register_module("stage" + std::to_string(s + 1),
                                      PreresnetStage(configuration, static_cast<int>(s))));
  }
  const int channels = configuration.stages.back().channels;
  norm_ = register_module("norm", BatchNorm(channels));
  if (configuration.classes > 0) {
    head_ = register_module("head", Linear(channels, configuration.classes));
  }
}

torch::Tensor PreresnetNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  torch::Tensor x = stem_->forward(pictures);
  for (PreresnetStage& stage : stages_) x = stage->forward(x, recorder);
  if (head_.is_empty()) {
    recordFeatures(recorder, [&] { return tokensOf(norm_->forward(x).relu_()); });
    return {};
  }
  return head_->forward(norm_->forward(x).relu_().mean({2, 3}));
}

void PreresnetNetwork::rescaleInitialisation() {
  const torch::NoGradGuard noGradient;
  rescale(*stem_, heDeviation(*stem_));
  for (PreresnetStage& stage : stages_) stage->rescaleInitialisation();
}

}  // namespace softscope
