#include "app/arguments/LayerChoice.h"

#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "core/Error.h"
#include "core/inspect/Inspection.h"
#include "core/text/Names.h"
#include "core/text/Words.h"

#include <algorithm>

namespace softscope {

namespace {

using Layers = std::vector<const LayerInspection*>;

const LayerInspection& defaultLayer(const Inspection& inspection, const std::string& mechanism) {
  if (inspection.layers.empty()) throw InspectionError("the model has no attention layer");
  for (auto layer = inspection.layers.rbegin(); layer != inspection.layers.rend(); ++layer) {
    if (layer->attention->description().mechanism == mechanism) return *layer;
  }
  return inspection.layers.back();
}

Layers matching(const Inspection& inspection, const std::string& text) {
  Layers found;
  for (const LayerInspection& layer : inspection.layers) {
    if (selectsLayer(text, layer.name)) found.push_back(&layer);
  }
  return found;
}

std::vector<std::string> namesOf(const Inspection& inspection) {
  std::vector<std::string> names;
  for (const LayerInspection& layer : inspection.layers) names.push_back(layer.name);
  return names;
}

[[noreturn]] void refuse(const std::vector<std::string>& names, const std::string& layer) {
  if (names.empty()) throw InspectionError("the model has no attention layer");
  throw InspectionError("there is no layer " + layer + "; this model has " + listText(names));
}

/// Returns the one layer that `text` selects, or null if it selects none.
const LayerInspection* single(const Inspection& inspection, const std::string& text) {
  const Layers found = matching(inspection, text);
  if (found.size() > 1) {
    throw InspectionError("--layer " + text + " means " + std::to_string(found.size()) +
                          " layers; compare shows one of each model, for example " +
                          found.front()->name);
  }
  return found.empty() ? nullptr : found.front();
}

}  // namespace

bool selectsLayer(const std::string& text, const std::string& layer) {
  return text == "all" || meansLayer(text, layer);
}

std::vector<LayerInspection> chosenLayers(const Inspection& inspection,
                                          const std::vector<std::string>& layers,
                                          const std::string& mechanism) {
  if (layers.empty()) return {defaultLayer(inspection, mechanism)};
  std::vector<LayerInspection> chosen;
  for (const std::string& text : layers) {
    const Layers found = matching(inspection, text);
    if (found.empty()) refuse(namesOf(inspection), text);
    for (const LayerInspection* layer : found) {
      const bool known = std::any_of(chosen.begin(), chosen.end(),
                                     [&](const auto& other) { return other.name == layer->name; });
      if (!known) chosen.push_back(*layer);
    }
  }
  return chosen;
}

void checkMap(const std::vector<LayerInspection>& layers, ShownMap map) {
  const auto lacks = [map](const LayerInspection& layer) { return !hasMap(layer, map); };
  if (!layers.empty() && std::all_of(layers.begin(), layers.end(), lacks)) {
    throw InspectionError(withoutMap(layers.front(), map));
  }
  for (const LayerInspection& layer : layers) {
    if (lacks(layer)) noteOnResult(layer.name + ": " + withoutMap(layer, map));
  }
}

void checkLayers(const ModelSummary& summary, const std::vector<std::string>& layers) {
  std::vector<std::string> names;
  for (const LayerSummary& layer : summary.layers) names.push_back(layer.name);
  for (const std::string& text : layers) {
    const bool known = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return selectsLayer(text, name);
    });
    if (!known) refuse(names, text);
  }
}

void checkComparedLayers(const std::vector<std::string>& layers, std::size_t models) {
  requireOncePerModel("--layer", layers.size(), models);
}

const LayerInspection& comparedLayer(const Inspection& first, const Inspection& inspection,
                                     const std::vector<std::string>& layers, std::size_t index,
                                     const std::string& mechanism) {
  if (layers.empty()) return defaultLayer(inspection, mechanism);
  const std::string& text = layers[layers.size() == 1 ? 0 : index];
  if (const LayerInspection* layer = single(inspection, text)) return *layer;
  const LayerInspection* linked = layers.size() == 1 ? single(first, text) : nullptr;
  if (!linked || inspection.layers.empty()) refuse(namesOf(inspection), text);
  return *inspection.find(linkedLayer(namesOf(first), linked->name, namesOf(inspection)));
}

}  // namespace softscope
