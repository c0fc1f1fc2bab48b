#pragma once

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

}  // namespace softscope
