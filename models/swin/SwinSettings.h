#pragma once

#include "models/identify/Family.h"
#include "models/swin/SwinConfiguration.h"

#include <string>
#include <vector>

namespace softscope {

/// Returns `Swin` or `Swin V2`.
std::string swinNetworkName(const SwinConfiguration& configuration);

/// Resolves what no weight of a Swin Transformer tells, sets it in the configuration and adds it to
/// the settings of `summary`: activation, epsilon, the head's input, and Swin V2's windows. Throws
/// ModelError for values that are not computed.
void resolveSwinSettings(SwinConfiguration& configuration, const ModelHints& hints,
                         ModelSummary& summary);

}  // namespace softscope
