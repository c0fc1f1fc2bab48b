#pragma once

#include "core/Progress.h"
#include "core/analysis/deletion/DeletionSettings.h"
#include "core/analysis/deletion/ProbabilityCurve.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <functional>
#include <vector>

namespace softscope {

/// Options of a measurement of deletion curves.
struct DeletionRequest {
  /// The patches of the input; the network's own tokens if tokens are left out.
  TokenGrid grid;
  PatchRemoval removal = PatchRemoval::MeanColor;
  int classIndex = 0;
  int steps = 20;
  /// Permutations of the patches, the most important first.
  std::vector<std::vector<int>> orders;
  /// Told about curves as they come, on the measuring thread; may be empty.
  FollowedOrders followed;
};

/// Gives the window access to networks without depending on them, as in
/// core/analysis/ModelFunctions.h.
using DeletionMeasurer = std::function<std::vector<DeletionCurves>(
    const Model&, const InputTensor&, const DeletionRequest&, const Progress&)>;

/// Returns the curves of each order, from 2 (steps - 1) forward passes for each order and two
/// shared by all. Every pass runs on a single picture, since other batch sizes round sums
/// differently: the numbers of an order depend only on the picture and the order. Throws
/// InspectionError for a model without classes or without that class, and if a network cannot leave
/// tokens out; may throw Cancelled.
std::vector<DeletionCurves> measureDeletion(const Model& model, const InputTensor& input,
                                            const DeletionRequest& request,
                                            const Progress& progress = {});

}  // namespace softscope
