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

/// A function that measures the curves of each order of a request, such as measureDeletion().
using DeletionMeasurer = std::function<std::vector<DeletionCurves>(
    const Model&, const InputTensor&, const DeletionRequest&, const Progress&)>;

}  // namespace softscope
