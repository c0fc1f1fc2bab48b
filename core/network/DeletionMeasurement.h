#pragma once

#include "core/Progress.h"
#include "core/analysis/deletion/DeletionRequest.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <vector>

namespace softscope {

/// Returns the curves of each order, from 2 (steps - 1) forward passes for each order and two
/// shared by all. Every pass runs on a single picture, since other batch sizes round sums
/// differently: the numbers of an order depend only on the picture and the order. Throws
/// InspectionError for a model without classes or without that class, and if a network cannot leave
/// tokens out; may throw Cancelled.
std::vector<DeletionCurves> measureDeletion(const Model& model, const InputTensor& input,
                                            const DeletionRequest& request,
                                            const Progress& progress = {});

}  // namespace softscope
