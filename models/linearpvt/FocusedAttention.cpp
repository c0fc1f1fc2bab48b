#include "models/linearpvt/FocusedAttention.h"

#include "models/attention/FactoredAttention.h"
#include "models/layers/HeadTerms.h"

namespace softscope {

namespace {

/// The exponent of all published models; files do not contain it.
constexpr int focusingFactor = 3;
constexpr double focusedEpsilon = 1e-6;

/// Returns phi of [B, n, C].
torch::Tensor focused(const torch::Tensor& x, const torch::Tensor& lengths) {
  const torch::Tensor features = (at::relu(x) + focusedEpsilon) / lengths;
  const torch::Tensor sharpened = features.pow(focusingFactor);
  return sharpened / sharpened.norm(2, -1, true) * features.norm(2, -1, true);
}

}  // namespace

FocusedAttentionImpl::FocusedAttentionImpl(const PvtAttentionOptions& options)
    : PvtAttentionImpl(options) {
  query_ = register_module("q", Linear(options.channels, options.channels, options.bias));
}

torch::Tensor FocusedAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                            Recorder* recorder) {
  const torch::Tensor query = query_->forward(tokens);
  const auto [key, value] = keysAndValues(tokens, grid);
  const torch::Tensor queryFeatures = splitHeads(focused(query, lengths()), heads());
  const torch::Tensor keyFeatures = splitHeads(focused(key, lengths()), heads());
  const FactoredAttention factors{normalisedByMean(queryFeatures, keyFeatures), keyFeatures,
                                  splitHeads(query, heads()), splitHeads(key, heads())};
  const torch::Tensor attended = attendWithFactors(factors, splitHeads(value, heads()), layer(),
                                                   describe("focused", grid), recorder);
  const HeadTerms terms{attended, splitHeads(convolve(value, grid), heads())};
  return project(joinTerms(terms, layer(), projectionWeight(), recorder));
}

}  // namespace softscope
