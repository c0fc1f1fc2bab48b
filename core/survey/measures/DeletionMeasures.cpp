#include "core/analysis/deletion/PictureDeletion.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <utility>

namespace softscope {

namespace {

const char* const deletionPaper =
    "RISE: Randomized Input Sampling for Explanation of Black-box Models, 2018";

constexpr int deletionSteps = 10;
constexpr int deletionPatch = 16;
constexpr int randomOrders = 3;
/// Queries, keys, class attention, rollout, and those at random.
constexpr int mostOrders = 4 + randomOrders;

std::int64_t deletionPasses(const std::vector<LayerSummary>&) {
  return 2 * (deletionSteps - 1) * mostOrders + 2;
}

/// The last layer that is measured whose queries are patches: its saliency is asked.
const LayerInspection* salientLayer(const ModelLook& model) {
  const LayerInspection* last = nullptr;
  for (const std::string& name : model.layers()) {
    const LayerInspection* layer = model.inspection().find(name);
    if (layer && layer->attention->description().queryGrid) last = layer;
  }
  return last;
}

/// The curves of all orders, computed once for a picture.
const PictureDeletion& deletionOf(const ModelLook& model) {
  return model.shared<PictureDeletion>("deletion", [&] {
    const LayerInspection* layer = salientLayer(model);
    if (!layer) throw InspectionError("no layer's queries are patches");
    const std::vector<LayerInspection>& layers = model.inspection().layers;
    const AnalysedLayer of{.model = {},
                           .mechanismNote = {},
                           .inspection = model.sharedInspection(),
                           .index = static_cast<std::size_t>(layer - layers.data()),
                           .region = {}};
    DeletionSettings settings;
    settings.classIndex = model.trueClass();
    settings.steps = deletionSteps;
    settings.patch = deletionPatch;
    settings.received = false;
    settings.random = randomOrders;
    return computeDeletion({of}, model.model(), model.sharedInput(), settings, measureDeletion,
                           model.progress());
  });
}

/// The mean of the areas of these orders; of maps there is one.
std::optional<double> areaOf(const ModelLook& model, PatchOrderOf of,
                             ProbabilityCurve DeletionCurves::*curve) {
  double sum = 0;
  int count = 0;
  for (const OrderedDeletion& order : deletionOf(model).orders) {
    const bool isAsked =
        order.of == of || (of == PatchOrderOf::KeySaliency && order.ofQueriesAndKeys);
    if (!isAsked) continue;
    sum += (order.curves.*curve).area();
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Measure deletionMeasure(const std::string& name, const std::string& title, PatchOrderOf of,
                        ProbabilityCurve DeletionCurves::*curve) {
  return {.name = name,
          .title = title,
          .unit = "area",
          .source = deletionPaper,
          .value = Measure::OfModel(
              [of, curve](const ModelLook& model) { return areaOf(model, of, curve); }),
          .group = "deletion",
          .passes = deletionPasses};
}

}  // namespace

std::vector<Measure> deletionMeasures() {
  struct Order {
    PatchOrderOf of;
    const char* name;
    const char* title;
  };
  const Order orders[] = {{PatchOrderOf::QuerySaliency, "queries", "l1 norms of queries"},
                          {PatchOrderOf::KeySaliency, "keys", "l1 norms of keys"},
                          {PatchOrderOf::ClassAttention, "class", "class attention"},
                          {PatchOrderOf::Rollout, "rollout", "rollout"},
                          {PatchOrderOf::Random, "random", "chance"}};
  std::vector<Measure> measures;
  for (const Order& order : orders) {
    const std::string name = order.name;
    measures.push_back(deletionMeasure("deletion_" + name,
                                       "Deletion by " + std::string(order.title), order.of,
                                       &DeletionCurves::deletion));
    measures.push_back(deletionMeasure("insertion_" + name,
                                       "Insertion by " + std::string(order.title), order.of,
                                       &DeletionCurves::insertion));
  }
  return measures;
}

}  // namespace softscope
