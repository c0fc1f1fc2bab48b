#pragma once

#include "core/Progress.h"
#include "core/analysis/deletion/DeletionSettings.h"
#include "core/analysis/deletion/ProbabilityCurve.h"
#include "core/attention/TokenGrid.h"
#include "core/model/InputTensor.h"
#include "core/model/Model.h"

#include <functional>
#include <vector>

namespace softscope {

/// What is asked of a model.
struct DeletionRequest {
  /// The patches of the input; the network's own tokens where these are left out.
  TokenGrid grid;
  PatchRemoval removal = PatchRemoval::MeanColor;
  int classIndex = 0;
  int steps = 20;
  /// Permutations of the patches, the most important first.
  std::vector<std::vector<int>> orders;
};

/// How the window gets at networks without knowing them, as in core/analysis/ModelFunctions.h.
using DeletionMeasurer = std::function<std::vector<DeletionCurves>(
    const Model&, const InputTensor&, const DeletionRequest&, const Progress&)>;

/// The curves of each order: 2 (steps - 1) forward passes for each, and two for all of them. Every
/// pass is of one picture, since sums in batches of another size are rounded otherwise: the numbers
/// of an order hang on nothing but the picture and the order. Throws InspectionError for a model
/// without classes or without that one, and where a network cannot leave tokens out; Cancelled.
std::vector<DeletionCurves> measureDeletion(const Model& model, const InputTensor& input,
                                            const DeletionRequest& request,
                                            const Progress& progress = {});

}  // namespace softscope
