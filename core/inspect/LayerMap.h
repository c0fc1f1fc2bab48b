#pragma once

#include "core/attention/ShownMap.h"
#include "core/inspect/Inspection.h"

#include <memory>
#include <string>

namespace softscope {

/// Whether a layer has that map: every layer has its attention; a convolution and an effective map
/// are there where a convolution of V with one filter per head stands beside it, an exact kernel
/// where landmarks stand in its place.
bool hasMap(const LayerInspection& layer, ShownMap map);

/// A layer's map, as large as its attention. Throws InspectionError where a layer has no such map.
std::shared_ptr<const AttentionMap> mapOf(const LayerInspection& layer, ShownMap map);

/// That map where a layer has it, its attention otherwise.
ShownMap availableMap(const LayerInspection& layer, ShownMap wanted);

/// Why a layer has neither a convolution nor an effective map.
std::string withoutConvolution(const LayerInspection& layer);

/// Why a layer has no such map.
std::string withoutMap(const LayerInspection& layer, ShownMap map);

}  // namespace softscope
