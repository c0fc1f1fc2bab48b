#include "models/efficientvit/EfficientVitAttention.h"

#include "core/network/Recorder.h"
#include "models/attention/FactoredAttention.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/ModuleTree.h"
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
  const TokenGrid grid{static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
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

}  // namespace softscope
