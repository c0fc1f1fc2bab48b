#pragma once

#include "core/Progress.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <memory>

namespace softscope {

struct Checkpoint;

/// Reads a checkpoint or a recording; of a checkpoint, finds out what network it belongs to, and
/// builds it. Throws CheckpointError for a file that is no checkpoint, ModelError for weights that
/// fit no network or lack some of it.
std::shared_ptr<const Model> openModel(const ModelRequest& request, const Progress& progress = {});

/// Likewise, whether or not it has attention: to be measured, not looked at.
std::shared_ptr<const Model> openClassifier(const ModelRequest& request,
                                            const Progress& progress = {});

/// What openClassifier() would find, missing and unexpected names included, without building the
/// network. Throws only if nothing is recognised.
ModelSummary identifyModel(const ModelRequest& request);
/// What a checkpoint that was read already is; the request's path and weights are not used. Throws
/// ModelError if nothing is recognised.
ModelSummary identifyModel(const Checkpoint& checkpoint, const ModelRequest& request = {});

}  // namespace softscope
