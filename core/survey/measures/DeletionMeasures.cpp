#include "core/analysis/deletion/PictureDeletion.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace softscope {

namespace {

const char* const deletionPaper =
    "RISE: Randomized Input Sampling for Explanation of Black-box Models, 2018";

constexpr int deletionSteps = 10;
constexpr int deletionPatch = 16;
/// Queries, keys, class attention and rollout.
constexpr int mostMaps = 4;

std::int64_t deletionPasses(int randomOrders) {
  return std::int64_t{2} * (deletionSteps - 1) * (mostMaps + randomOrders) + 2;
}

/// Returns the last measured layer whose queries are patches; its saliency is used.
const LayerInspection* salientLayer(const ModelPass& model) {
  const LayerInspection* last = nullptr;
  for (const std::string& name : model.layers()) {
    const LayerInspection* layer = model.inspection().find(name);
    if (layer && layer->attention->description().queryGrid) last = layer;
  }
  return last;
}

/// Returns the curves of all orders, computed once per picture.
const PictureDeletion& deletionOf(const ModelPass& model, int randomOrders) {
  return model.shared<PictureDeletion>(deletionGroup, [&] {
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
    return computeDeletion(
        {of}, model.model(), model.sharedInput(), settings, measureDeletion,
        [&model](const AnalysedLayer&) { return model.sharedShare(); }, model.progress());
  });
}

/// Selects deletion or insertion.
struct AskedCurve {
  ProbabilityCurve DeletionCurves::*curve;
  ChanceRank (PictureDeletion::*rank)(const OrderedDeletion&) const;
};

constexpr AskedCurve deletionCurve{&DeletionCurves::deletion, &PictureDeletion::deletionRank};
constexpr AskedCurve insertionCurve{&DeletionCurves::insertion, &PictureDeletion::insertionRank};

bool isAskedOrder(const OrderedDeletion& order, PatchOrderSource of) {
  return order.of == of || (of == PatchOrderSource::KeySaliency && order.ofQueriesAndKeys);
}

/// Returns the mean area over the orders of a kind; a map has only one order.
std::optional<double> areaOf(const PictureDeletion& deletion, PatchOrderSource of,
                             const AskedCurve& asked) {
  double sum = 0;
  int count = 0;
  for (const OrderedDeletion& order : deletion.orders) {
    if (!isAskedOrder(order, of)) continue;
    sum += (order.curves.*asked.curve).area();
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> chanceRankOf(const PictureDeletion& deletion, PatchOrderSource of,
                                   const AskedCurve& asked) {
  for (const OrderedDeletion& order : deletion.orders) {
    if (isAskedOrder(order, of)) return (deletion.*asked.rank)(order).share();
  }
  return std::nullopt;
}

/// Creates the measures for one number of random orders.
class DeletionMeasureList {
 public:
  explicit DeletionMeasureList(int randomOrders) : randomOrders_(randomOrders) {}

  void add(const std::string& name, const std::string& title, const std::string& unit,
           const std::function<std::optional<double>(const PictureDeletion&)>& value) {
    measures.push_back(
        {.name = name,
         .title = title,
         .unit = unit,
         .source = deletionPaper,
         .value = Measure::OfModel([value, random = randomOrders_](const ModelPass& model) {
           return value(deletionOf(model, random));
         }),
         .ofTerms = true,  // Rollout may weight attention by them.
         .group = deletionGroup,
         .passes = [random = randomOrders_](const std::vector<LayerSummary>&) {
           return deletionPasses(random);
         }});
  }

  std::vector<Measure> measures;

 private:
  int randomOrders_;
};

}  // namespace

std::vector<Measure> deletionMeasures(int randomOrders) {
  struct Curve {
    const char* name;
    const char* title;
    AskedCurve asked;
  };
  const Curve curves[] = {{"deletion_", "Deletion by ", deletionCurve},
                          {"insertion_", "Insertion by ", insertionCurve}};
  struct Order {
    PatchOrderSource of;
    const char* name;
    const char* title;
  };
  const Order orders[] = {{PatchOrderSource::QuerySaliency, "queries", "l1 norms of queries"},
                          {PatchOrderSource::KeySaliency, "keys", "l1 norms of keys"},
                          {PatchOrderSource::ClassAttention, "class", "class attention"},
                          {PatchOrderSource::Rollout, "rollout", "rollout"},
                          {PatchOrderSource::Random, "random", "chance"}};
  DeletionMeasureList list(randomOrders);
  for (const Order& order : orders) {
    for (const Curve& curve : curves) {
      list.add(std::string(curve.name) + order.name, std::string(curve.title) + order.title, "area",
               [of = order.of, asked = curve.asked](const PictureDeletion& deletion) {
                 return areaOf(deletion, of, asked);
               });
    }
  }
  for (const Order& order : orders) {
    if (order.of == PatchOrderSource::Random) continue;
    for (const Curve& curve : curves) {
      list.add(std::string(curve.name) + order.name + "_rank",
               std::string(curve.title) + order.title + ", beside chance",
               "share of random orders that it is better than",
               [of = order.of, asked = curve.asked](const PictureDeletion& deletion) {
                 return chanceRankOf(deletion, of, asked);
               });
    }
  }
  return std::move(list.measures);
}

}  // namespace softscope
