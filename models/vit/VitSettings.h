#pragma once

#include "models/identify/Family.h"
#include "models/identify/ResolvedHeads.h"
#include "models/vit/VitConfiguration.h"

#include <string>
#include <vector>

namespace softscope {

/// Heads of a vision transformer of these sizes where neither its file nor its user tells them;
/// certain where published networks of these sizes have as many, or its name says which it is.
DefaultHeads defaultVitHeads(const VitConfiguration& configuration, const std::string& network,
                             const ModelHints& hints);

/// Decides what else weights do not tell: activation, epsilon, where norms stand and what the head
/// sees, and puts it into the configuration, whose own values are taken for the usual ones. Returns
/// the settings in this order. Throws ModelError for what Softscope does not compute.
std::vector<NetworkSetting> settleVit(VitConfiguration& configuration, const ModelHints& hints);

/// Writes settings into a summary, and whether what is computed was not trained.
void describeSettings(const std::vector<NetworkSetting>& settings, ModelSummary& summary);

/// The names of pixelNorms() that published vision transformers of such a layout were fed with, the
/// likeliest first.
std::vector<std::string> pixelNormsOfVits(const VitConfiguration& configuration);

}  // namespace softscope
