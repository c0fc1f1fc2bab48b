#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/attention/FactoredAttention.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/OtherNetworks.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/layers/HeadTerms.h"
#include "models/linearpvt/LinearPvtNetwork.h"
#include "models/linearpvt/PvtAttention.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Focused linear attention of "FLatten Transformer: Vision Transformer using Focused Linear
/// Attention", 2023: A_ij = phi(q_i) . phi(k_j) / n_k / (phi(q_i) . mean phi(k) + 1e-6), where
/// phi(x) has the direction of t^f and the length of t = (relu(x) + 1e-6) / softplus(scale), with
/// the focusing factor f. Both lengths are over all channels, before they are split among the
/// heads.
class FocusedAttentionImpl : public PvtAttentionImpl {
 public:
  FocusedAttentionImpl(const PvtAttentionOptions& options, double focusingFactor);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  double focusingFactor_;
  Linear query_{nullptr};
};

/// The focusing factor of all published models.
constexpr double publishedFocusingFactor = 3;
constexpr double focusedEpsilon = 1e-6;

/// Returns phi of [B, n, C].
torch::Tensor focused(const torch::Tensor& x, const torch::Tensor& lengths, double focusingFactor) {
  const torch::Tensor features = (at::relu(x) + focusedEpsilon) / lengths;
  const torch::Tensor sharpened = features.pow(focusingFactor);
  return sharpened / sharpened.norm(2, -1, true) * features.norm(2, -1, true);
}

FocusedAttentionImpl::FocusedAttentionImpl(const PvtAttentionOptions& options,
                                           double focusingFactor)
    : PvtAttentionImpl(options), focusingFactor_(focusingFactor) {
  query_ = register_module("q", Linear(options.channels, options.channels, options.bias));
}

torch::Tensor FocusedAttentionImpl::forward(const torch::Tensor& tokens, const TokenGrid& grid,
                                            Recorder* recorder) {
  const torch::Tensor query = query_->forward(tokens);
  const auto [key, value] = keysAndValues(tokens, grid);
  const torch::Tensor queryFeatures =
      splitHeads(focused(query, lengths(), focusingFactor_), heads());
  const torch::Tensor keyFeatures = splitHeads(focused(key, lengths(), focusingFactor_), heads());
  const FactoredAttention factors{normalisedByMean(queryFeatures, keyFeatures), keyFeatures,
                                  splitHeads(query, heads()), splitHeads(key, heads())};
  const torch::Tensor attended = attendWithFactors(factors, splitHeads(value, heads()), layer(),
                                                   describe("focused", grid), recorder);
  const HeadTerms terms{attended, splitHeads(convolve(value, grid), heads())};
  return project(joinTerms(terms, layer(), projectionWeight(), recorder));
}

/// Returns the name of the keys' positions, by which files are recognised. PolaFormer and SLAB have
/// them as well, and are checked before.
std::optional<std::string> flattenMark(const StateDict& state) {
  return parameterOfBlocks(state, {".positional_encoding"}, 3);
}

/// Throws ModelError for other networks with such positions. SLAB with layer norms, its
/// constructor's default, lacks FLatten's scale.
void requireFlattenPvt(const StateDict& state) {
  const auto mark = flattenMark(state);
  if (!mark) return;
  const bool hasFilters = parameterOfBlocks(state, {".attn.dwc.weight"}, 4).has_value();
  if (!hasFilters || parameterOfBlocks(state, {".attn.scale"}, 3)) {
    return requireNetworkForm("FLatten", "PVT", *mark);
  }
  requireNetworkForm("SLAB", "DeiT", *mark);
  throw ModelError("this is SLAB-DeiT, by " + quotedText(*mark) +
                   " without attn.scale, but with layer norms; Softscope opens it with RepBN; " +
                   recordingAdvice());
}

DefinedModel defineFlattenPvt(const StateDict& state, const ModelHints& hints) {
  requireFlattenPvt(state);
  requireOnly("FLatten-PVT", "focused", hints);
  const LinearPvtConfiguration configuration =
      readLinearPvt(ShapeReader(state, "FLatten-PVT"), "FLatten-PVT");
  requireHeadsOfWeights("FLatten-PVT", configuration.stages.back().heads, hints);
  ModelSummary summary = summaryOf(configuration, "flatten_pvt", "focused", 1);
  summary.reason = "Names and shapes are those of FLatten-PVT; attn.dwc tells the heads.";
  const double factor = resolvePvtOptions("MODEL.LA.FOCUSING_FACTOR", publishedFocusingFactor,
                                          "FLatten-PVT", configuration, hints, summary);
  const auto attention = [factor](const PvtAttentionOptions& options) {
    return std::make_shared<FocusedAttentionImpl>(options, factor);
  };
  return {std::move(summary), std::make_shared<LinearPvtNetwork>(configuration, attention)};
}

}  // namespace

Family flattenPvtFamily() {
  return {.name = "flatten_pvt",
          .networks = "FLatten-PVT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return flattenMark(state).has_value(); },
          .define = defineFlattenPvt,
          .trainable = {},
          // A norm that the published code creates but does not use.
          .harmless = {"norm.weight", "norm.bias"}};
}

}  // namespace softscope
