#include "core/analysis/deletion/PictureDeletion.h"

#include "core/Error.h"
#include "core/analysis/deletion/PatchOrder.h"
#include "core/analysis/deletion/PatchRemover.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace softscope {

namespace {

bool isRandomOrder(const OrderedDeletion& order) {
  return order.of == PatchOrderSource::Random;
}

ChanceRank rankOf(const std::vector<OrderedDeletion>& orders, const OrderedDeletion& order,
                  ProbabilityCurve DeletionCurves::*which, BetterArea better) {
  std::vector<double> areas;
  for (const OrderedDeletion& other : orders) {
    if (isRandomOrder(other)) areas.push_back((other.curves.*which).area());
  }
  return rankAmong(areas, (order.curves.*which).area(), better);
}

CurveBand randomBand(const std::vector<OrderedDeletion>& orders,
                     ProbabilityCurve DeletionCurves::*which) {
  std::vector<ProbabilityCurve> curves;
  for (const OrderedDeletion& order : orders) {
    if (isRandomOrder(order)) curves.push_back(order.curves.*which);
  }
  return curves.empty() ? CurveBand() : bandOf(curves);
}

/// Returns the grid whose patches are removed: patches of the input, or the tokens of the first
/// layer.
TokenGrid removedGrid(const Inspection& inspection, const DeletionSettings& settings) {
  if (settings.removal != PatchRemoval::Tokens) {
    return patchGrid(inspection.inputHeight, inspection.inputWidth, settings.patch);
  }
  const auto& grid = inspection.layers.front().attention->description().queryGrid;
  if (!grid) {
    throw InspectionError("the tokens of this network are no patches; choose another removal");
  }
  return *grid;
}

int followedClass(const Inspection& inspection, const DeletionSettings& settings) {
  if (inspection.logits.empty()) {
    throw InspectionError(
        "This model is a backbone without a head: it has no class whose probability could be "
        "followed.");
  }
  if (inspection.logits.size() == 1) {
    throw InspectionError(
        "This model has one class: a softmax over it is 1 for every picture, so there is no "
        "probability to follow.");
  }
  if (settings.classIndex) return *settings.classIndex;
  const std::optional<int> predicted = predictedClass(inspection.logits);
  if (!predicted) {
    throw InspectionError(
        "the network answers with NaN, so that no class has a probability to follow");
  }
  return *predicted;
}

/// Returns the scores of every class map; a model that has none gets its reason for each.
std::vector<PatchScores> classScores(const Model& model, const Inspection& inspection,
                                     const ClassMapMeasurer& measure, const Progress& progress,
                                     const PictureDeletion& deletion) {
  if (!deletion.settings.classMaps || !measure) return {};
  const ClassMapRequest request{.classIndex = deletion.classIndex,
                                .methods = methodsOf(ClassMethod::All)};
  ClassMaps maps;
  const std::string obstacle =
      obstacleOf([&] { maps = measure(model, *deletion.input, request, progress); });
  if (!obstacle.empty()) {
    for (const ClassMethod method : request.methods) {
      maps.maps.push_back({.method = method, .obstacle = obstacle});
    }
  }
  return patchScores(maps, deletion.grid, inspection);
}

/// Returns the share of the whole time that class maps take beside following the orders, by passes
/// of the network. `scored` is the number of orders that are made without them.
double shareOfClassMaps(std::size_t scored, const ClassMapMeasurer& measure,
                        const PictureDeletion& deletion) {
  if (!deletion.settings.classMaps || !measure) return 0;
  // A gradient takes about as long as three passes.
  const double ofMaps = 3.0 * (ClassMapRequest().points + 1);
  const std::size_t orders = scored + methodsOf(ClassMethod::All).size() +
                             static_cast<std::size_t>(deletion.settings.random);
  const int steps = std::min(deletion.settings.steps, deletion.grid.count());
  return ofMaps / (ofMaps + 2.0 * static_cast<double>(orders) * steps);
}

void addOrders(std::vector<PatchScores> all, PictureDeletion& deletion) {
  const std::string identity = pictureIdentity(*deletion.input, deletion.transform);
  for (PatchScores& scores : all) {
    if (!scores.obstacle.empty()) {
      deletion.missing.push_back({scores.of, scores.layer, scores.obstacle});
      continue;
    }
    OrderedDeletion order{.of = scores.of, .layer = scores.layer};
    order.ofQueriesAndKeys = scores.ofQueriesAndKeys;
    order.note = scores.note;
    order.order = patchOrder(scores.values, orderSeed(identity, tieOrderNumber));
    deletion.orders.push_back(std::move(order));
  }
  for (int number = 1; number <= deletion.settings.random; ++number) {
    OrderedDeletion order;
    order.order = randomPatchOrder(deletion.grid.count(), orderSeed(identity, number));
    deletion.orders.push_back(std::move(order));
  }
  if (deletion.orders.empty()) {
    throw InspectionError(deletion.missing.empty()
                              ? "No order of the patches is chosen; choose one at least."
                              : deletion.missing.front().obstacle);
  }
}

void takeCurves(const std::vector<DeletionCurves>& curves, PictureDeletion& deletion) {
  for (std::size_t i = 0; i < curves.size(); ++i) deletion.orders[i].curves = curves[i];
  deletion.probability = deletion.orders.front().curves.deletion.probabilities.front();
}

/// Returns the deletion with only those orders that have curves by now.
PictureDeletion partOf(PictureDeletion deletion, const std::vector<DeletionCurves>& curves) {
  deletion.orders.resize(curves.size());
  takeCurves(curves, deletion);
  deletion.settings.random = static_cast<int>(deletion.orders.size() - deletion.maps());
  return deletion;
}

void measureOrders(const Model& model, const DeletionMeasurer& measurer, const Progress& progress,
                   const std::function<void(PictureDeletion)>& soFar, PictureDeletion& deletion) {
  DeletionRequest request{.grid = deletion.grid,
                          .removal = deletion.settings.removal,
                          .classIndex = deletion.classIndex,
                          .steps = deletion.settings.steps,
                          .orders = {},
                          .followed = {}};
  for (const OrderedDeletion& order : deletion.orders) request.orders.push_back(order.order);
  if (soFar) {
    request.followed = [&](const std::vector<DeletionCurves>& curves) {
      soFar(partOf(deletion, curves));
    };
  }
  takeCurves(measurer(model, *deletion.input, request, progress), deletion);
}

}  // namespace

std::size_t PictureDeletion::maps() const {
  return orders.size() -
         static_cast<std::size_t>(std::count_if(orders.begin(), orders.end(), isRandomOrder));
}

CurveBand PictureDeletion::randomDeletion() const {
  return randomBand(orders, &DeletionCurves::deletion);
}

CurveBand PictureDeletion::randomInsertion() const {
  return randomBand(orders, &DeletionCurves::insertion);
}

ChanceRank PictureDeletion::deletionRank(const OrderedDeletion& order) const {
  return rankOf(orders, order, &DeletionCurves::deletion, BetterArea::Small);
}

ChanceRank PictureDeletion::insertionRank(const OrderedDeletion& order) const {
  return rankOf(orders, order, &DeletionCurves::insertion, BetterArea::Large);
}

PictureDeletion computeDeletion(const std::vector<AnalysedLayer>& layers, const Model& model,
                                const std::shared_ptr<const InputTensor>& input,
                                const DeletionSettings& settings,
                                const DeletionMeasurers& measurers, const Progress& progress,
                                const std::function<void(PictureDeletion)>& soFar) {
  const ClassMapMeasurer& classMaps = measurers.classMaps;
  PictureDeletion deletion{.model = layers.front().model,
                           .mechanismNote = layers.front().mechanismNote,
                           .classNames = model.summary().classNames,
                           .transform = model.summary().transform,
                           .input = input,
                           .settings = settings};
  deletion.obstacle = model.summary().obstacleTo("probability to follow while patches are removed");
  if (!deletion.obstacle.empty()) return deletion;
  deletion.obstacle = obstacleOf([&] {
    const Inspection& inspection = *layers.front().inspection;
    deletion.classIndex = followedClass(inspection, settings);
    deletion.isPredicted = !settings.classIndex;
    deletion.grid = removedGrid(inspection, settings);
    progress.report(0, "Ordering patches");
    std::vector<PatchScores> scores =
        patchScores(layers, deletion.grid, settings, measurers.shares, progress.silent());
    const double ofMaps = shareOfClassMaps(scores.size(), classMaps, deletion);
    std::ranges::move(classScores(model, inspection, classMaps, progress.part(0, ofMaps), deletion),
                      std::back_inserter(scores));
    addOrders(std::move(scores), deletion);
    measureOrders(model, measurers.curves, progress.part(ofMaps, 1), soFar, deletion);
  });
  if (!deletion.obstacle.empty()) deletion.orders.clear();
  return deletion;
}

std::size_t bytesOf(const PictureDeletion& deletion) {
  std::size_t bytes = sizeof deletion;
  if (deletion.input) bytes += deletion.input->values.size() * sizeof deletion.input->values[0];
  for (const OrderedDeletion& order : deletion.orders) {
    bytes += sizeof order + order.order.size() * sizeof(int);
    for (const ProbabilityCurve* curve : {&order.curves.deletion, &order.curves.insertion}) {
      bytes += (curve->fractions.size() + curve->probabilities.size()) * sizeof(double);
    }
  }
  return bytes;
}

}  // namespace softscope
