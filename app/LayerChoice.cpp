#include "app/LayerChoice.h"

#include "app/NamePattern.h"
#include "core/Error.h"

namespace softscope {

namespace {

const LayerInspection& defaultLayer(const Inspection& inspection, const std::string& mechanism) {
  for (auto layer = inspection.layers.rbegin(); layer != inspection.layers.rend(); ++layer) {
    if (layer->attention->description().mechanism == mechanism) return *layer;
  }
  return inspection.layers.back();
}

}  // namespace

std::vector<LayerInspection> chosenLayers(const Inspection& inspection, const std::string& layer,
                                          const std::string& mechanism) {
  if (inspection.layers.empty()) throw InspectionError("the model has no attention layer");
  if (layer.empty()) return {defaultLayer(inspection, mechanism)};
  const std::string pattern = layer == "all" ? "*" : layer;
  std::vector<LayerInspection> chosen;
  std::string names;
  for (const LayerInspection& candidate : inspection.layers) {
    if (matchesPattern(candidate.name, pattern)) chosen.push_back(candidate);
    names += (names.empty() ? "" : ", ") + candidate.name;
  }
  if (chosen.empty()) {
    throw InspectionError("there is no layer " + layer + "; this model has " + names);
  }
  return chosen;
}

}  // namespace softscope
