#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

/// Returns the largest probability under a softmax of the logits; over a single one it would be 1
/// for every picture.
std::optional<double> confidenceOf(const ModelPass& model) {
  if (model.logits().size() < 2) return std::nullopt;
  const double largest = *std::ranges::max_element(model.logits());
  double sum = 0;
  for (const float logit : model.logits()) sum += std::exp(static_cast<double>(logit) - largest);
  return 1 / sum;
}

std::optional<double> correctness(const ModelPass& model) {
  if (!model.prediction() || !model.trueClass() || model.logits().size() < 2) return std::nullopt;
  return *model.prediction() == *model.trueClass() ? 1 : 0;
}

}  // namespace

std::vector<Measure> predictionMeasures() {
  return {
      {.name = "prediction",
       .title = "Prediction",
       .unit = "class, counted from 0",
       .source = "ours",
       .value = [](const ModelPass& model) -> std::optional<double> { return model.prediction(); }},
      {.name = "confidence",
       .title = "Confidence",
       .unit = "probability",
       .source =
           "A Baseline for Detecting Misclassified and Out-of-Distribution Examples in Neural "
           "Networks, 2017",
       .value = confidenceOf},
      {.name = "correct",
       .title = "Correct",
       .unit = "0 or 1",
       .source = "ours",
       .value = correctness},
  };
}

}  // namespace softscope
