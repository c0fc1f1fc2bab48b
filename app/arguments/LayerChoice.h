#pragma once

#include "core/inspect/LayerMap.h"
#include "core/model/ModelSummary.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns true if a value of `--layer` selects the layer: `all`, or what meansLayer() accepts.
bool selectsLayer(const std::string& text, const std::string& layer);

/// Returns the layers that `--layer` selects by `all`, a name, or a pattern; each once, in the
/// order given. Without `--layer`, returns the last layer with the model's own mechanism. Throws an
/// InspectionError that lists the layers if there is no match.
std::vector<LayerInspection> chosenLayers(const Inspection& inspection,
                                          const std::vector<std::string>& layers,
                                          const std::string& mechanism);

/// Reports on stderr which layers lack a map. Throws InspectionError if all of them do.
void checkMap(const std::vector<LayerInspection>& layers, ShownMap map);

/// Throws what chosenLayers() would throw, before the model is run.
void checkLayers(const ModelSummary& summary, const std::vector<std::string>& layers);

/// Throws UsageError unless `--layer` was given at most once, or once for each of `models`.
void checkComparedLayers(const std::vector<std::string>& layers, std::size_t models);

/// Returns the layer of the model at `index` in a comparison. A single `--layer` applies to the
/// first model; in a model without a layer of that name, it means the one at the same relative
/// depth. Throws InspectionError if it selects no layer or several.
const LayerInspection& comparedLayer(const Inspection& first, const Inspection& inspection,
                                     const std::vector<std::string>& layers, std::size_t index,
                                     const std::string& mechanism);

}  // namespace softscope
