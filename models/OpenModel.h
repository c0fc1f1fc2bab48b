#pragma once

#include "core/Progress.h"
#include "core/model/Model.h"
#include "core/model/ModelRequest.h"

#include <memory>

namespace softscope {

struct Checkpoint;

/// Opens a checkpoint or a recording. For a checkpoint, determines which network it belongs to, and
/// builds it. Throws CheckpointError if the file is not a checkpoint, and ModelError for weights
/// that fit no network or are incomplete.
std::shared_ptr<const Model> openModel(const ModelRequest& request, const Progress& progress = {});

/// Opens a model like openModel(), even if it has no attention: to be evaluated, not inspected.
std::shared_ptr<const Model> openClassifier(const ModelRequest& request,
                                            const Progress& progress = {});

/// Returns the summary that openClassifier() would give, including missing and unexpected names,
/// without building the network. Throws only if nothing is recognised.
ModelSummary identifyModel(const ModelRequest& request);
/// Identifies a checkpoint that has already been read; the request's path and weights are not used.
/// Throws ModelError if nothing is recognised.
ModelSummary identifyModel(const Checkpoint& checkpoint, const ModelRequest& request = {});

}  // namespace softscope
