#include "models/attention/FactoredAttention.h"
#include "models/identify/Families.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/layers/HeadTerms.h"
#include "models/linearpvt/LinearPvtNetwork.h"
#include "models/linearpvt/PvtAttention.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Polarity-aware linear attention of "PolaFormer: Polarity-aware Linear Attention for Vision
/// Transformers", 2025. From queries and keys divided by softplus(scale), it computes x+ =
/// relu(x)^e and x- = relu(-x)^e with e = 1 + alpha sigmoid(power). Every head has two maps of the
/// form A_ij = f_i . g_j / n_k / (f_i . mean g + 1e-6) with g = [k+, k-]: one of equal signs, f =
/// [q+, q-], multiplies the first half of V's channels, and one of opposite signs, f = [q-, q+],
/// the rest. They are recorded as heads 2i and 2i + 1. A gate multiplies the sum of both and of the
/// convolution beside them.
class PolarityAttentionImpl : public PvtAttentionImpl {
 public:
  PolarityAttentionImpl(const PvtAttentionOptions& options, double exponentRange);
  torch::Tensor forward(const torch::Tensor& tokens, const TokenGrid& grid,
                        Recorder* recorder) override;

 private:
  double exponentRange_;
  Linear queryGate_{nullptr};
  torch::Tensor power_;
};

/// The largest exponent minus one, ALPHA, of all published models.
constexpr double publishedExponentRange = 4;
constexpr int polarityMaps = 2;

/// Combines two [B, heads, n, r] into [B, 2 heads, n, r]: the first gives the even heads, the
/// second the odd ones.
torch::Tensor interleaved(const torch::Tensor& even, const torch::Tensor& odd) {
  return at::stack({even, odd}, 2).flatten(1, 2);
}

PolarityAttentionImpl::PolarityAttentionImpl(const PvtAttentionOptions& options,
                                             double exponentRange)
    : PvtAttentionImpl(options), exponentRange_(exponentRange) {
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
  const torch::Tensor exponent = 1 + exponentRange_ * power_.sigmoid();
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
  const HeadTerms terms{attended, splitHeads(convolve(values, grid), maps), gate};
  return project(joinTerms(terms, layer(), projectionWeight(), recorder));
}

/// Returns the name of the features' exponents, by which files are recognised.
std::optional<std::string> polaMark(const StateDict& state) {
  return parameterOfBlocks(state, {".power"}, 4);
}

DefinedModel definePolaFormerPvt(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = polaMark(state)) requireNetworkForm("PolaFormer", "PVT", *mark);
  requireOnly("PolaFormer-PVT", "pola", hints);
  const LinearPvtConfiguration configuration =
      readLinearPvt(ShapeReader(state, "PolaFormer-PVT"), "PolaFormer-PVT");
  requireHeadsOfWeights("PolaFormer-PVT", configuration.stages.back().heads, hints);
  ModelSummary summary = summaryOf(configuration, "pola_pvt", "pola", 2);
  summary.reason =
      "Names and shapes are those of PolaFormer-PVT: attn.power is its alone; attn.dwc tells the "
      "heads, each of which has two maps.";
  const double range = resolvePvtOptions("MODEL.LA.ALPHA", publishedExponentRange, "PolaFormer-PVT",
                                         configuration, hints, summary);
  const auto attention = [range](const PvtAttentionOptions& options) {
    return std::make_shared<PolarityAttentionImpl>(options, range);
  };
  return {std::move(summary), std::make_shared<LinearPvtNetwork>(configuration, attention)};
}

}  // namespace

Family polaformerPvtFamily() {
  return {.name = "pola_pvt",
          .networks = "PolaFormer-PVT",
          .attention = "linear attention",
          .recognises = [](const StateDict& state) { return polaMark(state).has_value(); },
          .define = definePolaFormerPvt,
          .trainable = {},
          // A norm that the published code creates but does not use.
          .harmless = {"norm.weight", "norm.bias"}};
}

}  // namespace softscope
