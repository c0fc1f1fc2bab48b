#include "models/linearpvt/Polaformer.h"

#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/linearpvt/LinearPvtShapes.h"
#include "models/linearpvt/PolarityAttention.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Returns the name of the features' exponents, by which files are recognised.
std::optional<std::string> polaMark(const StateDict& state) {
  return parameterOfBlocks(state, {".power"}, 4);
}

DefinedModel definePolaFormerPvt(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = polaMark(state)) requireNetworkForm("PolaFormer", "PVT", *mark);
  if (hints.attention) requireAllowed("PolaFormer-PVT", {"pola"}, *hints.attention);
  const LinearPvtConfiguration configuration =
      readLinearPvt(ShapeReader(state, "PolaFormer-PVT"), "PolaFormer-PVT");
  requireHeadsOfWeights("PolaFormer-PVT", configuration.stages.back().heads, hints);
  ModelSummary summary = summaryOf(configuration, "pola_pvt", "pola", 2);
  summary.reason =
      "Names and shapes are those of PolaFormer-PVT: attn.power is its alone; attn.dwc tells the "
      "heads, each of which has two maps. Its exponents are taken to lie between 1 and 5, as "
      "published: no file says it.";
  const auto attention = [](const PvtAttentionOptions& options) {
    return std::make_shared<PolarityAttentionImpl>(options);
  };
  return {std::move(summary), std::make_shared<LinearPvtNetwork>(configuration, attention)};
}

}  // namespace

Family polaformerPvtFamily() {
  return {.name = "pola_pvt",
          .recognises = [](const StateDict& state) { return polaMark(state).has_value(); },
          .define = definePolaFormerPvt,
          .trainable = {},
          // A norm that the published code creates but does not use.
          .harmless = {"norm.weight", "norm.bias"}};
}

}  // namespace softscope
