#pragma once

#include "core/inspect/LayerMap.h"
#include "core/model/ModelSummary.h"

#include <string>
#include <vector>

namespace softscope {

/// The layers that `--layer` means, each given once, in the order they are given: `all`, a name, or
/// a pattern; where none is given, the last layer with the model's own mechanism. Throws
/// InspectionError naming the layers there are.
std::vector<LayerInspection> chosenLayers(const Inspection& inspection,
                                          const std::vector<std::string>& layers,
                                          const std::string& mechanism);

/// Says on stderr which layers lack a map. Throws InspectionError if all of them do.
void checkMap(const std::vector<LayerInspection>& layers, ShownMap map);

/// Throws what chosenLayers() would throw, before the model is run.
void checkLayers(const ModelSummary& summary, const std::vector<std::string>& layers);

/// Throws UsageError unless `--layer` was given at most once, or once for each of `models`.
void checkComparedLayers(const std::vector<std::string>& layers, std::size_t models);

/// The layer of the model at `index` in a comparison. A single `--layer` is the first model's; in
/// one that has no such layer, the one as deep. Throws InspectionError where it means no layer or
/// several.
const LayerInspection& comparedLayer(const Inspection& first, const Inspection& inspection,
                                     const std::vector<std::string>& layers, std::size_t index,
                                     const std::string& mechanism);

}  // namespace softscope
