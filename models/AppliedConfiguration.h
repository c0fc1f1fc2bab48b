#pragma once

#include "core/model/Model.h"
#include "models/identify/ConfigurationFile.h"

#include <vector>

namespace softscope {

// These functions apply the files beside a checkpoint to its model, if `said` can describe it.

/// Applies what the files say about classes and pictures.
void applyConfiguration(const ConfigurationFile& said, ModelSummary& summary);

/// Says what the files ask of the preparation of pictures and Softscope does otherwise. The filter
/// does not count if the checkpoint's own metadata give one.
void describePreparation(const ConfigurationFile& said, ModelSummary& summary);

/// Says what beside the checkpoint was passed over: files that cannot be read, values that are not
/// understood, or, if the file does not fit the network, a config.json of another width.
void describePassedOver(const ConfigurationFile& said, bool fits, ModelSummary& summary);

/// Says which values in the checkpoint's own metadata are not understood, and passed over.
void describeUnreadMetadata(ModelSummary& summary);

/// Returns the heads that the file says if they contradict the model's; otherwise empty.
std::vector<int> otherHeads(const ConfigurationFile& said, const ModelSummary& summary);

}  // namespace softscope
