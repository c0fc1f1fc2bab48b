#include "models/linearpvt/PolarityAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/layers/HeadTerms.h"

#include <vector>

namespace softscope {

namespace {

/// The largest exponent minus one, the same in all published models; files do not contain it.
constexpr double exponentRange = 4;
constexpr int polarityMaps = 2;

/// Combines two [B, heads, n, r] into [B, 2 heads, n, r]: the first gives the even heads, the
/// second the odd ones.
torch::Tensor interleaved(const torch::Tensor& even, const torch::Tensor& odd) {
  return at::stack({even, odd}, 2).flatten(1, 2);
}

}  // namespace

PolarityAttentionImpl::PolarityAttentionImpl(const PvtAttentionOptions& options)
    : PvtAttentionImpl(options) {
  const int channels = options.channels;
  queryGate_ = register_module("qg", Linear(channels, 2 * channels, options.bias));
  power_ =
      register_parameter("power", torch::empty({1, options.heads, 1, channels / options.heads}));
}

torch::Tensor PolarityAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                             Recorder* recorder) {
  const std::vector<torch::Tensor> parts = queryGate_->forward(tokens).chunk(2, -1);
  const auto [keys, values] = keysAndValues(tokens, grid);
  const torch::Tensor query = splitHeads(parts[0] / lengths(), heads());
  const torch::Tensor key = splitHeads(keys / lengths(), heads());
  const torch::Tensor exponent = 1 + exponentRange * power_.sigmoid();
  const torch::Tensor positive = at::relu(query).pow(exponent);
  const torch::Tensor negative = at::relu(-query).pow(exponent);
  const torch::Tensor signs =
      at::cat({at::relu(key).pow(exponent), at::relu(-key).pow(exponent)}, -1);
  const torch::Tensor left =
      interleaved(normalisedByMean(at::cat({positive, negative}, -1), signs),
                  normalisedByMean(at::cat({negative, positive}, -1), signs));
  const int maps = polarityMaps * heads();
  const torch::Tensor attended = attendWithFactors(
      {left, interleaved(signs, signs), interleaved(query, query), interleaved(key, key)},
      splitHeads(values, maps), layer(), describe("pola", grid), recorder);
  const torch::Tensor gate = splitHeads(parts[1], maps);
  const HeadTerms terms{attended * gate, splitHeads(convolve(values, grid), maps) * gate};
  return project(joinTerms(terms, layer(), projectionWeight(), recorder));
}

}  // namespace softscope
