#include "core/analysis/AttentionDistance.h"
#include "core/analysis/AttentionEntropy.h"
#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

namespace {

std::optional<double> distanceOfHead(const HeadPass& head) {
  const PictureRegion covered = head.of.model.inspection().covered();
  return attentionDistance(head.map(), head.head, covered.height, covered.width, head.progress());
}

}  // namespace

std::vector<Measure> spreadMeasures() {
  return {
      {.name = "entropy",
       .title = "Entropy of attention",
       .unit = "share of ln(keys)",
       .source = "Stabilizing Transformer Training by Preventing Attention Entropy Collapse, 2023",
       .value =
           [](const HeadPass& head) {
             return meanEntropyShare(head.map(), head.head, head.progress());
           }},
      {.name = "attention_distance",
       .title = "Attention distance",
       .unit = "pixels of the input",
       .source = "An Image is Worth 16x16 Words, 2020",
       .value = distanceOfHead},
  };
}

}  // namespace softscope
