#include "models/lineardeit/Slab.h"

#include "core/Error.h"
#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/lineardeit/SlabNetwork.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr PublishedLinearDeit publishedSlabDeits[] = {{"slab_deit_tiny", 192, 3, 224},
                                                      {"slab_deit_small", 384, 6, 224}};

/// Returns the name of the factor with which norms add their input, by which files are recognised.
std::optional<std::string> slabMark(const StateDict& state) {
  return parameterOfBlocks(state, {".norm1.norm2.alpha", ".norm2.norm2.alpha"}, 1);
}

LinearDeitSizes readSlabSizes(const ShapeReader& shapes, const ModelHints& hints) {
  if (!shapes.any("blocks.", ".attn.dwc.weight") && !shapes.any("blocks.", ".attn.dwc.bias")) {
    throw ModelError(
        "this is DeiT with SLAB's batch norms and softmax attention (no block has an attn.dwc), "
        "which Softscope does not open; it opens SLAB-DeiT");
  }
  LinearDeitSizes sizes = readLinearDeitSizes(shapes, 0);
  const auto width = sizeInBlocks(shapes, {"attn.dwc.weight", "attn.dwc.bias"}, 0);
  sizes.heads = headsOfWidth("SLAB-DeiT", sizes.channels, shapes.require(width, "its heads"));
  requireHeadsOfWeights("SLAB-DeiT", sizes.heads, hints);
  return sizes;
}

DefinedModel defineSlabDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = slabMark(state)) requireNetworkForm("SLAB", "DeiT", *mark);
  if (hints.attention) requireAllowed("SLAB-DeiT", {"slab"}, *hints.attention);
  const LinearDeitSizes sizes = readSlabSizes(ShapeReader(state, "SLAB-DeiT"), hints);
  ModelSummary summary = summaryOf(sizes, "slab_deit", "slab");
  summary.variant = linearDeitVariant(publishedSlabDeits, sizes);
  summary.reason =
      "Names and shapes are those of SLAB-DeiT: the alpha of its norms is its alone, and attn.dwc "
      "tells the heads.";
  return {std::move(summary), std::make_shared<SlabNetwork>(sizes)};
}

}  // namespace

Family slabDeitFamily() {
  return {.name = "slab_deit",
          .recognises = [](const StateDict& state) { return slabMark(state).has_value(); },
          .define = defineSlabDeit,
          .trainable = {},
          .harmless = {
              "cls_token",  // unused, left over from DeiT: the head is on the mean of all tokens
              "*norm?.norm1.*", "norm.norm1.*",  // layer norms, replaced by batch norms in training
              "*.warm", "*.iter", "*.total_step",  // progress of that replacement
          }};
}

}  // namespace softscope
