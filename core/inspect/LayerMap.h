#pragma once

#include "core/attention/ShownMap.h"
#include "core/inspect/Inspection.h"

#include <memory>
#include <string>

namespace softscope {

/// Whether a layer has that map: every layer has its attention; the others are there where a
/// convolution of V with one filter per head stands beside it.
bool hasMap(const LayerInspection& layer, ShownMap map);

/// What multiplies V in a layer, in whole or in part; as large as its attention, and described as
/// that is. Throws InspectionError where no such convolution stands beside the attention.
std::shared_ptr<const AttentionMap> mapOf(const LayerInspection& layer, ShownMap map);

/// That map where a layer has it, its attention otherwise.
ShownMap availableMap(const LayerInspection& layer, ShownMap wanted);

/// Why a layer has neither a convolution nor an effective map.
std::string withoutConvolution(const LayerInspection& layer);

}  // namespace softscope
