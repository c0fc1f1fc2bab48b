#include "models/rala/RalaAttention.h"

#include "models/attention/SoftmaxAttention.h"
#include "models/layers/ConvolutionChain.h"
#include "models/layers/HeadTerms.h"
#include "models/layers/Products.h"
#include "models/linear/RotatedLinearAttention.h"

namespace softscope {

namespace {

/// Returns k^ with each token weighted by the attention that the mean of all queries pays to it;
/// the mean weight is one.
torch::Tensor augmentedKeys(const torch::Tensor& queries, const torch::Tensor& keys) {
  const torch::Tensor mean = queries.mean(-2, true);
  const torch::Tensor scores =
      matrixProduct(keys, mean.transpose(-1, -2)) * inverseRootOfWidth(queries);
  return keys * (scores.softmax(-2) * static_cast<double>(keys.size(-2)));
}

}  // namespace

RalaAttentionImpl::RalaAttentionImpl(const RalaAttentionOptions& options) : options_(options) {
  const int channels = options.channels;
  parts_ = register_module("qkvo", Convolution(pointwiseOptions(channels, 4 * channels)));
  positions_ = register_module("lepe", Convolution(depthwiseOptions(channels, 5)));
  projection_ = register_module("proj", Convolution(pointwiseOptions(channels, channels)));
}

torch::Tensor RalaAttentionImpl::forward(const torch::Tensor& map, const PairAngles& angles,
                                         Recorder* recorder) {
  const TokenGrid grid{static_cast<int>(map.size(2)), static_cast<int>(map.size(3))};
  const std::vector<torch::Tensor> parts = parts_->forward(map).chunk(4, 1);
  const auto heads = [&](const torch::Tensor& part) {
    return splitHeads(tokensOf(part), options_.heads);
  };
  const torch::Tensor attended =
      attend(heads(parts[0]), heads(parts[1]), heads(parts[2]), angles, grid, recorder);
  const torch::Tensor joined =
      joinTerms({attended, heads(positions_->forward(parts[2])), heads(parts[3])}, options_.name,
                projection_->weight.flatten(1), recorder);
  return projection_->forward(mapOf(joined, grid));
}

torch::Tensor RalaAttentionImpl::attend(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const PairAngles& angles,
                                        const TokenGrid& grid, Recorder* recorder) const {
  const AttentionDescription description = describe(grid);
  if (!options_.linear) {
    return softmaxAttention(rotatePairs(query, angles), rotatePairs(key, angles), value,
                            inverseRootOfWidth(query), options_.name, description, recorder);
  }
  const torch::Tensor queries = positiveElu(query);
  return rotatedLinearAttention(
      {query, key, queries, augmentedKeys(queries, positiveElu(key)), angles}, value, options_.name,
      description, recorder);
}

AttentionDescription RalaAttentionImpl::describe(const TokenGrid& grid) const {
  AttentionDescription description;
  description.mechanism = options_.linear ? "rala" : "softmax";
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.filtersChannels = true;
  description.gated = true;
  return description;
}

}  // namespace softscope
