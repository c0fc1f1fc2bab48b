#include "models/xcit/XcitBlocks.h"

#include "models/layers/HeadTerms.h"
#include "models/layers/RecordedTokens.h"

namespace softscope {

namespace {

constexpr double xcitNormEpsilon = 1e-6;

ConvolutionOptions depthwise(int channels) {
  return {.inputs = channels, .outputs = channels, .kernel = 3, .padding = 1, .groups = channels};
}

}  // namespace

XcitMlpImpl::XcitMlpImpl(int channels, int hidden, Activation activation)
    : activation_(activation) {
  expand_ = register_module("fc1", Linear(channels, hidden));
  contract_ = register_module("fc2", Linear(hidden, channels));
}

torch::Tensor XcitMlpImpl::forward(const torch::Tensor& x) const {
  return contract_->forward(expand_->forward(x, activation_));
}

XcitLocalInteractionImpl::XcitLocalInteractionImpl(int channels, Activation activation)
    : activation_(activation) {
  first_ = register_module("conv1", Convolution(depthwise(channels)));
  norm_ = register_module("bn", BatchNorm(channels));
  second_ = register_module("conv2", Convolution(depthwise(channels)));
}

torch::Tensor XcitLocalInteractionImpl::forward(const torch::Tensor& tokens,
                                                const TokenGrid& grid) {
  const torch::Tensor x = first_->forward(mapOf(tokens, grid), activation_);
  return tokensOf(second_->forward(norm_->forward(x)));
}

XcitBlockImpl::XcitBlockImpl(const XcitConfiguration& configuration, const std::string& name) {
  const int channels = configuration.channels;
  gamma1_ = register_parameter("gamma1", torch::empty({channels}));
  gamma2_ = register_parameter("gamma2", torch::empty({channels}));
  norm1_ = register_module("norm1", LayerNorm(channels, xcitNormEpsilon));
  attention_ = register_module(
      "attn", XcitAttention(XcitAttentionOptions{.name = name + ".attn",
                                                 .channels = channels,
                                                 .heads = configuration.heads,
                                                 .queryBias = configuration.queryBias,
                                                 .mechanism = configuration.mechanism}));
  norm2_ = register_module("norm2", LayerNorm(channels, xcitNormEpsilon));
  mlp_ = register_module("mlp", XcitMlp(channels, configuration.hidden, configuration.activation));
  if (configuration.localInteraction) {
    gamma3_ = register_parameter("gamma3", torch::empty({channels}));
    norm3_ = register_module("norm3", LayerNorm(channels, xcitNormEpsilon));
    local_ = register_module("local_mp", XcitLocalInteraction(channels, configuration.activation));
  }
}

torch::Tensor XcitBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                     Recorder* recorder) {
  const torch::Tensor attended = attention_->forward(norm1_->forward(tokens), grid, recorder);
  if (looksAtTerms(recorder)) {
    recordAddition(recorder, attention_->layer(), tokens, gamma1_ * attended, gamma1_);
  }
  torch::Tensor x = at::addcmul(tokens, gamma1_, attended);
  if (!local_.is_empty()) {
    x = at::addcmul(x, gamma3_, local_->forward(norm3_->forward(x), grid));
  }
  return recordTokens(recorder, attention_->layer(),
                      at::addcmul(x, gamma2_, mlp_->forward(norm2_->forward(x))), grid);
}

XcitClassBlockImpl::XcitClassBlockImpl(const XcitConfiguration& configuration,
                                       const std::string& name)
    : normalisesAllTokens_(configuration.normalisesAllTokens()) {
  const int channels = configuration.channels;
  gamma1_ = register_parameter("gamma1", torch::empty({channels}));
  gamma2_ = register_parameter("gamma2", torch::empty({channels}));
  norm1_ = register_module("norm1", LayerNorm(channels, xcitNormEpsilon));
  attention_ = register_module(
      "attn", XcitClassAttention(XcitAttentionOptions{.name = name + ".attn",
                                                      .channels = channels,
                                                      .heads = configuration.heads,
                                                      .queryBias = configuration.queryBias,
                                                      .mechanism = configuration.mechanism,
                                                      .isSplit = configuration.hasTimmNames}));
  norm2_ = register_module("norm2", LayerNorm(channels, xcitNormEpsilon));
  mlp_ = register_module("mlp",
                         XcitMlp(channels, configuration.classHidden, configuration.activation));
}

torch::Tensor XcitClassBlockImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                          Recorder* recorder) {
  const torch::Tensor y = norm1_->forward(tokens);
  const torch::Tensor classOutput = attention_->forward(y, grid, recorder);
  if (looksAtTerms(recorder)) {
    recordAddition(recorder, attention_->layer(), tokens.slice(1, 0, 1), gamma1_ * classOutput,
                   gamma1_);
  }
  torch::Tensor x = at::addcmul(tokens, gamma1_, at::cat({classOutput, y.slice(1, 1)}, 1));
  // norm2 replaces x, and the patches are added to themselves: published and trained in this form.
  x = normalisesAllTokens_ ? norm2_->forward(x)
                           : at::cat({norm2_->forward(x.slice(1, 0, 1)), x.slice(1, 1)}, 1);
  const torch::Tensor classToken = x.slice(1, 0, 1);
  const torch::Tensor patches = x.slice(1, 1);
  const torch::Tensor out =
      at::cat({at::addcmul(classToken, gamma2_, mlp_->forward(classToken)), patches + patches}, 1);
  return recordTokens(recorder, attention_->layer(), out, grid);
}

}  // namespace softscope
