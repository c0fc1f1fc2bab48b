#include "models/lineardeit/Inline.h"

#include "models/identify/NetworkForm.h"
#include "models/identify/ResolvedHeads.h"
#include "models/identify/ResolvedMechanism.h"
#include "models/lineardeit/ClassTokenNetwork.h"
#include "models/lineardeit/InlineAttention.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr PublishedLinearDeit publishedInlineDeits[] = {{"inline_deit_tiny_224", 192, 6, 224},
                                                        {"inline_deit_small_288", 320, 10, 288},
                                                        {"inline_deit_base_448", 384, 12, 448}};

/// Returns the name of a parameter that generates the filters of the convolution beside the
/// attention, by which files are recognised.
std::optional<std::string> inlineMark(const StateDict& state) {
  return parameterOfBlocks(state, {".residual.0.weight", ".residual.2.weight"}, 3);
}

LinearDeitSizes readInlineSizes(const ShapeReader& shapes, const ModelHints& hints) {
  LinearDeitSizes sizes = readLinearDeitSizes(shapes, 1);
  const auto width = sizeInBlocks(shapes, {"attn.residual.0.weight", "attn.residual.2.weight"}, 1);
  sizes.heads = headsOfWidth("InLine-DeiT", sizes.channels, shapes.require(width, "its heads"));
  requireHeadsOfWeights("InLine-DeiT", sizes.heads, hints);
  return sizes;
}

DefinedModel defineInlineDeit(const StateDict& state, const ModelHints& hints) {
  if (const auto mark = inlineMark(state)) requireNetworkForm("InLine", "DeiT", *mark);
  if (hints.attention) requireAllowed("InLine-DeiT", {"inline"}, *hints.attention);
  const LinearDeitSizes sizes = readInlineSizes(ShapeReader(state, "InLine-DeiT"), hints);
  ModelSummary summary = summaryOf(sizes, "inline_deit", "inline");
  summary.transform.extent = InputTransform::Extent::SqueezedCrop;
  summary.variant = linearDeitVariant(publishedInlineDeits, sizes);
  summary.reason =
      "Names and shapes are those of InLine-DeiT: attn.residual is its alone, and tells the heads.";
  const auto attention = [&](int, const std::string& name) {
    return std::make_shared<InlineAttentionImpl>(name, sizes.channels, sizes.heads,
                                                 sizes.queryKeyValueBias);
  };
  return {std::move(summary), std::make_shared<ClassTokenNetwork>(sizes, attention)};
}

}  // namespace

Family inlineDeitFamily() {
  return {.name = "inline_deit",
          .recognises = [](const StateDict& state) { return inlineMark(state).has_value(); },
          .define = defineInlineDeit,
          .trainable = {}};
}

}  // namespace softscope
