#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

std::optional<double> residualShareOf(const HeadPass& head) {
  const LayerShare* layer = head.of.model.shareOf(head.of.layer.name);
  return head.share() ? layer->residualShare(*head.share()) : std::nullopt;
}

std::optional<double> besideShareOf(const HeadPass& head) {
  return head.share() ? head.share()->besideShare() : std::nullopt;
}

}  // namespace

std::vector<Measure> shareMeasures() {
  return {
      {.name = "residual_share",
       .title = "Share of the residual stream",
       .unit = "norm over norm",
       .source = "ours",
       .value = residualShareOf,
       .ofTerms = true},
      {.name = "beside_share",
       .title = "Share beside the convolution",
       .unit = "norm over norm",
       .source = "ours",
       .value = besideShareOf,
       .ofTerms = true},
  };
}

}  // namespace softscope
