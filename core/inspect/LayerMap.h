#pragma once

#include "core/attention/ShownMap.h"
#include "core/inspect/Inspection.h"

#include <memory>
#include <optional>
#include <string>

namespace softscope {

/// Returns the number of a layer's channels that have matrices of their own, whose mean its
/// attention is; 0 if one matrix acts on all channels.
int channelsOf(const LayerInspection& layer);

/// Returns an inspection in which the attention of every layer that has such a channel is the
/// matrix of it; the inspection itself without a channel, or if no layer has it.
std::shared_ptr<const Inspection> atChannel(const std::shared_ptr<const Inspection>& inspection,
                                            std::optional<int> channel);

/// Returns `channel 12` for an inspection of atChannel(); empty if it shows no channel.
std::string channelNote(const Inspection& inspection);

/// Returns true if a layer has the map. Every layer has its attention; a convolution and an
/// effective map exist if V is also convolved with one filter per head, an exact kernel exists if
/// landmarks approximate it, and a product with a gradient exists if it was asked for.
bool hasMap(const LayerInspection& layer, ShownMap map);

/// Returns a map of a layer, as large as its attention. Throws InspectionError if the layer does
/// not have it.
std::shared_ptr<const AttentionMap> mapOf(const LayerInspection& layer, ShownMap map);

/// Returns `wanted` if the layer has that map, otherwise its attention.
ShownMap availableMap(const LayerInspection& layer, ShownMap wanted);

/// Explains why a layer has neither a convolution nor an effective map; names the one that was
/// asked for.
std::string withoutConvolution(const LayerInspection& layer, ShownMap asked = ShownMap::Effective);

/// Explains why a layer does not have the map.
std::string withoutMap(const LayerInspection& layer, ShownMap map);

}  // namespace softscope
