#include "models/linearpvt/Flatten.h"

#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/linearpvt/FocusedAttention.h"
#include "models/linearpvt/LinearPvtShapes.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// Returns the name of the keys' positions, by which files are recognised. PolaFormer and SLAB have
/// them as well, and are checked before.
std::optional<std::string> flattenMark(const StateDict& state) {
  return parameterOfBlocks(state, {".positional_encoding"}, 3);
}

DefinedModel defineFlattenPvt(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = flattenMark(state)) requireNetworkForm("FLatten", "PVT", *mark);
  if (hints.attention) requireAllowed("FLatten-PVT", {"focused"}, *hints.attention);
  const LinearPvtConfiguration configuration =
      readLinearPvt(ShapeReader(state, "FLatten-PVT"), "FLatten-PVT");
  requireHeadsOfWeights("FLatten-PVT", configuration.stages.back().heads, hints);
  ModelSummary summary = summaryOf(configuration, "flatten_pvt", "focused", 1);
  summary.reason =
      "Names and shapes are those of FLatten-PVT; attn.dwc tells the heads. Its focusing factor is "
      "taken to be 3, as published: no file says it.";
  const auto attention = [](const PvtAttentionOptions& options) {
    return std::make_shared<FocusedAttentionImpl>(options);
  };
  return {std::move(summary), std::make_shared<LinearPvtNetwork>(configuration, attention)};
}

}  // namespace

Family flattenPvtFamily() {
  return {.name = "flatten_pvt",
          .recognises = [](const StateDict& state) { return flattenMark(state).has_value(); },
          .define = defineFlattenPvt,
          .trainable = {},
          // A norm that the published code creates but does not use.
          .harmless = {"norm.weight", "norm.bias"}};
}

}  // namespace softscope
