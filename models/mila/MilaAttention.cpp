#include "models/mila/MilaAttention.h"

#include "models/layers/ConvolutionChain.h"
#include "models/linear/RotatedLinearAttention.h"

namespace softscope {

MilaAttentionImpl::MilaAttentionImpl(const MilaAttentionOptions& options) : options_(options) {
  const int channels = options.channels;
  queryKey_ = register_module("qk", Linear(channels, 2 * channels));
  positions_ = register_module("lepe", Convolution(depthwiseOptions(channels, 3)));
  Group rope = register_module("rope", Group());
  rotations_ = rope->register_buffer(
      "rotations", torch::empty({options.grid.height, options.grid.width, channels / 2, 2}));
}

HeadTerms MilaAttentionImpl::forward(const torch::Tensor& tokens, Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryKey_->forward(tokens).chunk(2, -1);
  const torch::Tensor query = splitHeads(parts[0], options_.heads);
  const torch::Tensor key = splitHeads(parts[1], options_.heads);
  const torch::Tensor attended = rotatedLinearAttention(
      {query, key, positiveElu(query), positiveElu(key), angles()},
      splitHeads(tokens, options_.heads), options_.name, describe(), recorder);
  const torch::Tensor beside = tokensOf(positions_->forward(mapOf(tokens, options_.grid)));
  return {attended, splitHeads(beside, options_.heads)};
}

PairAngles MilaAttentionImpl::angles() const {
  // [H, W, C / 2, 2] -> [heads, n, d / 2, 2]
  const torch::Tensor heads =
      rotations_.flatten(0, 1).unflatten(1, {options_.heads, -1}).transpose(0, 1);
  return {heads.select(-1, 0), heads.select(-1, 1)};
}

AttentionDescription MilaAttentionImpl::describe() const {
  AttentionDescription description;
  description.mechanism = "mlla";
  description.queryGrid = options_.grid;
  description.keyGrid = options_.grid;
  description.filtersChannels = true;
  description.gated = true;
  return description;
}

}  // namespace softscope
