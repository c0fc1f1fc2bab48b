#pragma once

#include "core/Progress.h"
#include "core/analysis/Share.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/analysis/reach/Reach.h"
#include "core/engine/Engine.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// Returns the maps of one class, from one forward pass and a backward pass for each kind of
/// gradient; integrated gradients take one of each for every point. Methods that the network has no
/// map for say why in `obstacle`. Throws InspectionError for a network without classes or without
/// that class, for a network whose weights are not here, and if the architecture cannot take an
/// input of that size; may throw Cancelled.
ClassMaps measureClassMaps(const Model& model, const InputTensor& input,
                           const ClassMapRequest& request, const Progress& progress = {});

/// Returns the curves of each order, from 2 (steps - 1) forward passes for each order and two
/// shared by all. Every pass runs on a single picture, since other batch sizes round sums
/// differently: the numbers of an order depend only on the picture and the order. Throws
/// InspectionError for a model without classes or without that class, and if a network cannot leave
/// tokens out; may throw Cancelled.
std::vector<DeletionCurves> measureDeletion(const Model& model, const InputTensor& input,
                                            const DeletionRequest& request,
                                            const Progress& progress = {});

/// Returns the parts whose weights measureSanity() draws anew, in that order: what reads the answer
/// (`head`), the blocks of attention layers from the last to the first (`blocks.11`), and what the
/// network registers before all of them (`embedding`). What it registers behind a block, such as
/// the embedding of the next stage, belongs to the block that runs next, or behind the last one to
/// the head. Parts without parameters are left out.
std::vector<std::string> randomisedParts(const Model& model);

/// Computes the class maps of a model, then draws the weights of one part after the other anew,
/// from a Gaussian with each tensor's own mean and deviation, and compares the maps of the same
/// class.
/// **Changes the model**, which nobody else may use then. Throws like measureClassMaps().
ModelSanity measureSanity(const Model& model, const InputTensor& input,
                          const ClassMapRequest& request, const Progress& progress = {});

/// Measures the terms of every head in one forward pass, and makes each requested knock-out in a
/// pass of its own. Throws InspectionError if the architecture cannot take an input of that size or
/// has no layer with a requested name; throws Cancelled if asked to stop.
std::shared_ptr<const ModelShare> measureShare(const Model& model, const InputTensor& input,
                                               const ShareRequest& request = {},
                                               const Progress& progress = {});

/// Returns what reaches one token behind the block of each layer of the request, from one forward
/// pass and a backward pass for each layer and direction. A layer without such a token says why in
/// `obstacle`. A live model's process is asked. Throws InspectionError for a recording, and if the
/// architecture cannot take an input of that size; may throw Cancelled.
std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress = {});

/// Returns the engine that runs open models in this process. It has no openModel, and no
/// measureCost, which takes a process of its own.
Engine measuringEngine();

}  // namespace softscope
