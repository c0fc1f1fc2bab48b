// Which layer every model shows, and how the others follow the chosen one.

#include "core/inspect/LinkedLayer.h"
#include "widgets/workspace/Workspace.h"

#include <algorithm>

namespace softscope {
namespace {

std::vector<std::string> layerNames(const OpenedModel& model) {
  std::vector<std::string> names;
  for (const LayerSummary& layer : model.summary().layers) names.push_back(layer.name);
  return names;
}

/// The layer of `model` that is as deep as `layer` is in `to`. Models without layers keep none.
std::string layerLinked(const OpenedModel& model, const OpenedModel& to, const std::string& layer) {
  const std::vector<std::string> names = layerNames(model);
  return names.empty() ? model.layer : linkedLayer(layerNames(to), layer, names);
}

}  // namespace

std::string Workspace::firstLayerOf(const OpenedModel& opened) const {
  const std::vector<LayerSummary>& layers = opened.summary().layers;
  const auto has = [&](const std::string& name) {
    return std::any_of(layers.begin(), layers.end(),
                       [&](const LayerSummary& layer) { return layer.name == name; });
  };
  if (current() && has(current()->layer)) return current()->layer;
  if (current() && comparison_.linkedLayers) {
    return layers.empty()
               ? std::string()
               : linkedLayer(layerNames(*current()), current()->layer, layerNames(opened));
  }
  if (has(firstLayer_)) return firstLayer_;
  // Heads are there to be compared, and early layers often have but one.
  const auto several = std::find_if(layers.begin(), layers.end(),
                                    [](const LayerSummary& layer) { return layer.heads > 1; });
  if (several != layers.end()) return several->name;
  return layers.empty() ? std::string() : layers.front().name;
}

void Workspace::setLayerOf(int index, const std::string& name) {
  if (index < 0 || index >= static_cast<int>(models_.size())) return;
  const OpenedModel& chosen = models_[static_cast<std::size_t>(index)];
  if (chosen.layer == name) return;
  if (chosen.inspection && !chosen.inspection->find(name)) return;
  changeLayers(chosen.id, name);
}

void Workspace::changeLayers(int id, const std::string& name) {
  const OpenedModel* chosen = find(id);
  if (!chosen) return;
  std::vector<std::string> layers;
  Maps shown;
  for (const OpenedModel& model : models_) {
    const bool follows = &model != chosen && comparison_.linkedLayers;
    layers.push_back(&model == chosen ? name : model.layer);
    if (follows) layers.back() = layerLinked(model, *chosen, name);
    const LayerInspection* layer =
        model.inspection ? model.inspection->find(layers.back()) : nullptr;
    if (layer) shown.push_back(layer->attention);
  }
  if (direction_ == Direction::Columns) {
    worker_.cancel(Worker::Kind::Columns);
    if (preparesColumns(Worker::Kind::Columns, shown, [=, this] { changeLayers(id, name); })) {
      return;
    }
  }
  for (std::size_t i = 0; i < layers.size(); ++i) models_[i].layer = layers[i];
  Q_EMIT layerChanged();
  Q_EMIT queryChanged();
}

bool Workspace::preparesColumns(Worker::Kind kind, Maps maps, std::function<void()> then) {
  std::erase_if(maps, [](const auto& map) { return map->columnsReady(); });
  if (maps.empty()) return false;
  worker_.cancel(Worker::Kind::Analysis);
  worker_.submit(kind, tr("Adding up rows"),
                 [maps = std::move(maps), then](const Progress& progress) -> Worker::Delivery {
                   for (const auto& map : maps) map->prepareColumns(progress);
                   return then;
                 });
  return true;
}

void Workspace::stepLayer(int steps) {
  const OpenedModel* opened = current();
  if (!opened || !opened->inspection) return;
  const std::vector<LayerInspection>& layers = opened->inspection->layers;
  const auto found = std::find_if(layers.begin(), layers.end(), [&](const LayerInspection& layer) {
    return layer.name == opened->layer;
  });
  if (found == layers.end()) return;
  const auto last = static_cast<int>(layers.size()) - 1;
  const int next = std::clamp(static_cast<int>(found - layers.begin()) + steps, 0, last);
  setLayer(layers[static_cast<std::size_t>(next)].name);
}

void Workspace::setComparison(const Comparison& comparison) {
  if (comparison == comparison_) return;
  const bool links = comparison.linkedLayers && !comparison_.linkedLayers;
  comparison_ = comparison;
  Q_EMIT comparisonChanged();
  if (links && current()) changeLayers(current()->id, current()->layer);
}

}  // namespace softscope
