#include "core/Error.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/deletion/PictureDeletion.h"
#include "core/survey/measures/MeasureGroups.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr int deletionSteps = 10;
constexpr int deletionPatch = 16;

/// An order of the patches, as names and titles of measures say it.
struct NamedOrder {
  PatchOrderSource of;
  const char* name;
  const char* title;
};

const std::vector<NamedOrder> attentionOrders{
    {PatchOrderSource::QuerySaliency, "queries", "l1 norms of queries"},
    {PatchOrderSource::KeySaliency, "keys", "l1 norms of keys"},
    {PatchOrderSource::ClassAttention, "class", "class attention"},
    {PatchOrderSource::Rollout, "rollout", "rollout"},
    {PatchOrderSource::Random, "random", "chance"}};

const std::vector<NamedOrder> classOrders{
    {PatchOrderSource::ClassRollout, "gradient_rollout", "attention times gradient"},
    {PatchOrderSource::LeGrad, "legrad", "LeGrad"},
    {PatchOrderSource::GradientTokens, "gradient_tokens", "tokens times gradient"},
    {PatchOrderSource::GradCam, "grad_cam", "Grad-CAM"},
    {PatchOrderSource::IntegratedGradients, "integrated_gradients", "integrated gradients"},
    {PatchOrderSource::Rollout, "rollout", "rollout"},
    {PatchOrderSource::Random, "random", "chance"}};

/// Measures that remove the same patches from the same pictures.
struct DeletionKind {
  const char* group;
  const char* paper;
  /// Stands before the measures' names and behind their titles.
  const char* prefix;
  const char* suffix;
  const std::vector<NamedOrder>& orders;
  PatchRemoval removal;

  /// Maps that are compared with chance.
  int maps() const { return static_cast<int>(orders.size()) - 1; }
  bool ofClassMaps() const { return &orders == &classOrders; }
  std::int64_t passes(int randomOrders) const {
    return std::int64_t{2} * (deletionSteps - 1) * (maps() + randomOrders) + 2;
  }
};

const DeletionKind deletionKinds[] = {
    {deletionGroup, "RISE: Randomized Input Sampling for Explanation of Black-box Models, 2018", "",
     "", attentionOrders, PatchRemoval::MeanColor},
    {"class_deletion", "RISE: Randomized Input Sampling for Explanation of Black-box Models, 2018",
     "class_", ", of class maps", classOrders, PatchRemoval::MeanColor},
    {"class_road", "A Consistent and Efficient Evaluation Strategy for Attribution Methods, 2022",
     "road_", ", of class maps, imputed", classOrders, PatchRemoval::Imputation}};

/// Returns the last measured layer whose queries are patches; its saliency is used.
const LayerInspection* salientLayer(const ModelPass& model) {
  const LayerInspection* last = nullptr;
  for (const std::string& name : model.layers()) {
    const LayerInspection* layer = model.inspection().find(name);
    if (layer && layer->attention->description().queryGrid) last = layer;
  }
  return last;
}

/// Returns what measures class maps, once per picture for all kinds; empty if the engine has none.
ClassMapMeasurer sharedClassMaps(const ModelPass& model) {
  if (!model.engine().measureClassMaps) return {};
  return [&model](const Model& network, const InputTensor& input, const ClassMapRequest& request,
                  const Progress& progress) {
    return model.shared<ClassMaps>("class maps", [&] {
      ClassMaps maps = model.engine().measureClassMaps(network, input, request, progress);
      for (const ClassMap& map : maps.maps) {
        if (map.exceedsMemory) throw MemoryError(map.obstacle);
      }
      return maps;
    });
  };
}

/// Returns the curves of all orders, computed once per picture.
const PictureDeletion& deletionOf(const ModelPass& model, const DeletionKind& kind,
                                  int randomOrders) {
  const auto& deletion = model.shared<PictureDeletion>(kind.group, [&] {
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
    settings.removal = kind.removal;
    settings.saliency = !kind.ofClassMaps();
    settings.classAttention = !kind.ofClassMaps();
    settings.received = false;
    settings.random = randomOrders;
    return computeDeletion(
        {of}, model.model(), model.sharedInput(), settings,
        {.curves = model.engine().measureDeletion,
         .shares = [&model](const AnalysedLayer&) { return model.sharedShare(); },
         .classMaps = kind.ofClassMaps() ? sharedClassMaps(model) : ClassMapMeasurer()},
        model.progress());
  });
  if (!deletion.obstacle.empty()) throw InspectionError(deletion.obstacle);
  return deletion;
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

/// Creates the measures of a kind for one number of random orders.
class DeletionMeasureList {
 public:
  DeletionMeasureList(const DeletionKind& kind, int randomOrders)
      : kind_(kind), randomOrders_(randomOrders) {}

  void add(const std::string& name, const std::string& title, const std::string& unit,
           const std::function<std::optional<double>(const PictureDeletion&)>& value) {
    measures.push_back(
        {.name = kind_.prefix + name,
         .title = title + kind_.suffix,
         .unit = unit,
         .source = kind_.paper,
         .value = Measure::OfModel(
             [value, &kind = kind_, random = randomOrders_](const ModelPass& model) {
               return value(deletionOf(model, kind, random));
             }),
         .ofTerms = true,  // Rollout may weight attention by them.
         .group = kind_.group,
         .passes = [&kind = kind_, random = randomOrders_](const std::vector<LayerSummary>&) {
           return kind.passes(random);
         }});
  }

  std::vector<Measure> measures;

 private:
  const DeletionKind& kind_;
  int randomOrders_;
};

std::vector<Measure> measuresOfKind(const DeletionKind& kind, int randomOrders) {
  struct Curve {
    const char* name;
    const char* title;
    AskedCurve asked;
  };
  const Curve curves[] = {{"deletion_", "Deletion by ", deletionCurve},
                          {"insertion_", "Insertion by ", insertionCurve}};
  DeletionMeasureList list(kind, randomOrders);
  for (const NamedOrder& order : kind.orders) {
    for (const Curve& curve : curves) {
      list.add(std::string(curve.name) + order.name, std::string(curve.title) + order.title, "area",
               [of = order.of, asked = curve.asked](const PictureDeletion& deletion) {
                 return areaOf(deletion, of, asked);
               });
    }
  }
  for (const NamedOrder& order : kind.orders) {
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

}  // namespace

bool usesRandomOrders(const Measure& measure) {
  return std::ranges::any_of(deletionKinds,
                             [&](const DeletionKind& kind) { return measure.group == kind.group; });
}

std::vector<Measure> deletionMeasures(int randomOrders) {
  std::vector<Measure> measures;
  for (const DeletionKind& kind : deletionKinds) {
    std::ranges::move(measuresOfKind(kind, randomOrders), std::back_inserter(measures));
  }
  return measures;
}

}  // namespace softscope
