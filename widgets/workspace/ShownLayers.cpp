#include "widgets/workspace/ShownLayers.h"

#include "core/inspect/Inspection.h"
#include "core/text/Names.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/OpenModels.h"

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

std::vector<std::string> layerNames(const OpenedModel& model) {
  std::vector<std::string> names;
  for (const LayerSummary& layer : model.summary().layers) names.push_back(layer.name);
  return names;
}

/// Returns the layer of `model` at the same depth as `layer` has in `to`. Models without layers
/// keep none.
std::string layerLinked(const OpenedModel& model, const OpenedModel& to, const std::string& layer) {
  const std::vector<std::string> names = layerNames(model);
  return names.empty() ? model.layer : linkedLayer(layerNames(to), layer, names);
}

}  // namespace

ShownLayers::ShownLayers(OpenModels& models, const ComparisonChoice& comparison, Worker& worker)
    : models_(models), comparison_(comparison), worker_(worker) {
  connect(&comparison, &ComparisonChoice::layersLinked, this, [this] {
    if (const OpenedModel* leads = models_.current()) change(leads->id, leads->layer);
  });
}

std::string ShownLayers::firstOf(const OpenedModel& opened) const {
  const std::vector<LayerSummary>& layers = opened.summary().layers;
  const OpenedModel* current = models_.current();
  if (current && opened.hasLayer(current->layer)) return current->layer;
  if (current && comparison_.settings().linkedLayers) {
    return layers.empty() ? std::string()
                          : linkedLayer(layerNames(*current), current->layer, layerNames(opened));
  }
  const auto first = std::find_if(layers.begin(), layers.end(), [&](const LayerSummary& layer) {
    return meansLayer(first_, layer.name);
  });
  if (first != layers.end()) return first->name;
  // Several heads are preferred because the user wants to compare them, and early layers often have
  // only one.
  const auto several = std::find_if(layers.begin(), layers.end(),
                                    [](const LayerSummary& layer) { return layer.heads > 1; });
  if (several != layers.end()) return several->name;
  return layers.empty() ? std::string() : layers.front().name;
}

void ShownLayers::choose(const std::string& name) {
  chooseFor(models_.currentIndex(), name);
}

void ShownLayers::chooseFor(int index, const std::string& name) {
  if (index < 0 || index >= static_cast<int>(models_.all().size())) return;
  const OpenedModel& chosen = models_.all()[static_cast<std::size_t>(index)];
  if (chosen.layer == name) {
    // A layer that was chosen before, and whose columns are still being added up, is not shown.
    if (direction_ == Direction::Columns) worker_.cancel(Worker::Kind::Columns);
    wished_.reset();
    return;
  }
  if (chosen.inspection && !chosen.inspection->find(name)) return;
  change(chosen.id, name);
}

/// Sets a model's layer and, if layers are linked, that of all others at the same depth.
void ShownLayers::change(int id, const std::string& name) {
  const OpenedModel* chosen = models_.find(id);
  if (!chosen) return;
  std::vector<std::string> layers;
  Maps shown;
  for (const OpenedModel& model : models_.all()) {
    const bool follows = &model != chosen && comparison_.settings().linkedLayers;
    layers.push_back(&model == chosen ? name : model.layer);
    if (follows) layers.back() = layerLinked(model, *chosen, name);
    const LayerInspection* layer =
        model.inspection ? model.inspection->find(layers.back()) : nullptr;
    if (layer) shown.push_back(layer->attention);
  }
  if (direction_ == Direction::Columns) {
    worker_.cancel(Worker::Kind::Columns);
    const auto again = [=, this] { change(id, name); };
    if (preparesColumns(Worker::Kind::Columns, shown, again)) {
      wished_ = {id, name};
      return;
    }
  }
  wished_.reset();
  models_.setLayers(layers);
}

void ShownLayers::step(int steps) {
  const OpenedModel* opened = models_.current();
  if (!opened || !opened->inspection) return;
  const std::vector<LayerInspection>& layers = opened->inspection->layers;
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const LayerInspection& layer) {
    return layer.name == opened->layer;
  });
  if (found == layers.end()) return;
  const auto last = static_cast<int>(layers.size()) - 1;
  const int next = std::clamp(static_cast<int>(found - layers.begin()) + steps, 0, last);
  choose(layers[static_cast<std::size_t>(next)].name);
}

void ShownLayers::setDirection(Direction direction) {
  const bool waitsForLayer = wished_ && worker_.isBusy(Worker::Kind::Columns);
  if (direction == direction_) {
    // Without a layer that waits, a change to the other direction may wait, which is taken back.
    if (!waitsForLayer) worker_.cancel(Worker::Kind::Columns);
    return;
  }
  const auto wished = std::exchange(wished_, std::nullopt);
  worker_.cancel(Worker::Kind::Columns);
  Maps shown;
  for (const OpenedModel& model : models_.all()) {
    for (const LayerInspection* layer : model.shownLayers()) shown.push_back(layer->attention);
  }
  const bool waits =
      direction == Direction::Columns &&
      preparesColumns(Worker::Kind::Columns, shown, [this, direction] { setDirection(direction); });
  if (waits) return;
  direction_ = direction;
  Q_EMIT directionChanged();
  if (wished && waitsForLayer) change(wished->first, wished->second);
}

bool ShownLayers::preparesColumns(Worker::Kind kind, Maps maps, std::function<void()> then) {
  std::erase_if(maps, [](const auto& map) { return map->columnsReady(); });
  if (maps.empty()) return false;
  worker_.submit(kind, tr("Adding up rows"),
                 [maps = std::move(maps), then](const Progress& progress) -> Worker::Delivery {
                   for (const auto& map : maps) map->prepareColumns(progress);
                   return then;
                 });
  // Only now, so that the worker is busy all the while.
  worker_.cancel(Worker::Kind::Analysis);
  return true;
}

}  // namespace softscope
