#include "core/survey/measures/MeasureGroups.h"

namespace softscope {

std::vector<Measure> lineMeasuresOfHeads() {
  const std::string paper =
      "Rethinking Efficacy of Softmax for Lightweight Non-local Neural Networks, 2022";
  return {
      {.name = "line_score",
       .title = "Line score",
       .unit = "share of the variance",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().score; }},
      {.name = "line_score_centred",
       .title = "Line score without row means",
       .unit = "share of the variance",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().centredScore; }},
      {.name = "key_norm_correlation",
       .title = "Lines with the keys' norms",
       .unit = "correlation",
       .source = paper,
       .value = [](const HeadPass& head) { return head.lines().keyNormCorrelation; }},
      {.name = "query_direction_correlation",
       .title = "Lines with the mean query",
       .unit = "correlation",
       .source = "ours",
       .value = [](const HeadPass& head) { return head.lines().queryDirectionCorrelation; }},
  };
}

}  // namespace softscope
