#include "models/preresnet/NonLocalBlock.h"

#include "models/attention/NonLocalAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Initialisation.h"
#include "models/layers/RecordedTokens.h"

#include <cmath>

namespace softscope {

NonLocalBlockImpl::NonLocalBlockImpl(const NonLocalBlockOptions& options) : options_(options) {
  const auto embedding = [&](const char* name) {
    return register_module(name, Convolution(ConvolutionOptions{.inputs = options.channels,
                                                                .outputs = options.embedding}));
  };
  theta_ = embedding("theta");
  phi_ = embedding("phi");
  g_ = embedding("g");
  const ConvolutionOptions output{.inputs = options.embedding, .outputs = options.channels};
  if (options.norm) {
    Group group = register_module("W", Group());
    output_ = group->add("0", Convolution(output));
    norm_ = group->add("1", BatchNorm(options.channels));
  } else {
    output_ = register_module("W", Convolution(output));
  }
}

torch::Tensor NonLocalBlockImpl::forward(const torch::Tensor& map, Recorder* recorder) {
  const TokenGrid grid = gridOf(map);
  const auto embed = [&](const Convolution& convolution) {
    return splitHeads(tokensOf(convolution->forward(map)), options_.heads);
  };
  AttentionDescription description;
  description.queryGrid = grid;
  description.keyGrid = grid;
  const double width = static_cast<double>(options_.embedding) / options_.heads;
  const torch::Tensor attended = nonLocalAttention(
      embed(theta_), embed(phi_), embed(g_), options_.mechanism,
      options_.softmaxScale.value_or(1 / std::sqrt(width)), options_.name, description, recorder);
  const torch::Tensor joined =
      joinTerms({attended, {}}, options_.name, output_->weight.flatten(1), recorder);
  torch::Tensor output = output_->forward(mapOf(joined, grid));
  if (!norm_.is_empty()) output = norm_->forward(output);
  if (looksAtTerms(recorder)) {
    recordAddition(recorder, options_.name, map, output,
                   norm_.is_empty() ? torch::Tensor() : norm_->terms().scale());
  }
  return recordTokens(recorder, options_.name, map + output, grid);
}

void NonLocalBlockImpl::rescaleInitialisation() {
  const torch::NoGradGuard noGradient;
  const bool softmax =
      options_.mechanism.normalisation == NonLocalMechanism::Normalisation::Softmax;
  for (Convolution embedding : {theta_, phi_, g_}) {
    rescale(*embedding, softmax ? 0.01 : heDeviation(*embedding));
    embedding->bias.zero_();
  }
  rescale(*output_, heDeviation(*output_));
  output_->bias.zero_();
  (norm_.is_empty() ? output_->weight : norm_->weight).zero_();
}

}  // namespace softscope
