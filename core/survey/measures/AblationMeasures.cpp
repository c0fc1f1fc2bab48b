#include "core/survey/measures/MeasureGroups.h"

#include <memory>
#include <optional>
#include <utility>

namespace softscope {

namespace {

const char* const ablationPaper = "Are Sixteen Heads Really Better than One?, 2019";

/// Returns the number of forward passes that knockouts take: one without changes, one for each
/// head, and one for each layer with several heads.
std::int64_t knockoutPasses(const std::vector<LayerSummary>& layers) {
  std::int64_t passes = 1;
  for (const LayerSummary& layer : layers) passes += layer.heads > 1 ? layer.heads + 1 : 1;
  return passes;
}

/// Returns the effects of leaving out each head and the whole layer, each in a forward pass of its
/// own.
const LayerShare* knockoutsOf(const ModelPass& model, const std::string& layer) {
  using Knockouts = std::shared_ptr<const ModelShare>;
  const auto& knockouts = model.shared<Knockouts>("ablation", [&] {
    return model.engine().measureShare(model.model(), model.input(),
                                       {.knockouts = true, .layers = model.layers()},
                                       model.progress());
  });
  return layerShareNamed(knockouts.get(), layer);
}

const HeadShare* knockoutOf(const HeadPass& head) {
  return headShareOf(knockoutsOf(head.of.model, head.of.layer.name), head.head);
}

const HeadShare* knockoutOf(const LayerPass& layer) {
  const LayerShare* share = knockoutsOf(layer.model, layer.layer.name);
  return share ? &share->whole : nullptr;
}

const ModelPass& modelOf(const HeadPass& head) {
  return head.of.model;
}
const ModelPass& modelOf(const LayerPass& layer) {
  return layer.model;
}

template <typename Pass>
std::optional<double> logitChange(const Pass& pass) {
  const HeadShare* share = knockoutOf(pass);
  if (!share || !share->knockout) return std::nullopt;
  return share->knockout->relativeChange;
}

template <typename Pass>
std::optional<int> predictionWithout(const Pass& pass) {
  const HeadShare* share = knockoutOf(pass);
  return share && share->knockout ? share->knockout->predictedClass : std::nullopt;
}

template <typename Pass>
std::optional<double> predictionChange(const Pass& pass) {
  const std::optional<int> predicted = modelOf(pass).prediction();
  const std::optional<int> without = predictionWithout(pass);
  if (!without || !predicted) return std::nullopt;
  return *without != *predicted ? 1 : 0;
}

template <typename Pass>
std::optional<double> correctWithout(const Pass& pass) {
  const std::optional<int> without = predictionWithout(pass);
  if (!without || !modelOf(pass).trueClass()) return std::nullopt;
  return *without == *modelOf(pass).trueClass() ? 1 : 0;
}

Measure ablationMeasure(const std::string& name, const std::string& title, const std::string& unit,
                        std::variant<Measure::OfModel, Measure::OfLayer, Measure::OfHead> value) {
  return {.name = name,
          .title = title,
          .unit = unit,
          .source = ablationPaper,
          .value = std::move(value),
          .group = "ablation",
          .passes = knockoutPasses};
}

}  // namespace

std::vector<Measure> ablationMeasures() {
  return {
      ablationMeasure("ablation_logit_change", "Logits' change without the head", "norm over norm",
                      logitChange<HeadPass>),
      ablationMeasure("ablation_prediction_change", "Other prediction without the head", "0 or 1",
                      predictionChange<HeadPass>),
      ablationMeasure("ablation_correct", "Correct without the head", "0 or 1",
                      correctWithout<HeadPass>),
      ablationMeasure("layer_ablation_logit_change", "Logits' change without the layer's heads",
                      "norm over norm", logitChange<LayerPass>),
      ablationMeasure("layer_ablation_prediction_change",
                      "Other prediction without the layer's heads", "0 or 1",
                      predictionChange<LayerPass>),
      ablationMeasure("layer_ablation_correct", "Correct without the layer's heads", "0 or 1",
                      correctWithout<LayerPass>),
  };
}

}  // namespace softscope
