#pragma once

#include "core/Progress.h"
#include "core/analysis/reach/Reach.h"
#include "core/model/InputTransform.h"
#include "core/model/Model.h"

#include <vector>

namespace softscope {

/// Returns what reaches one token behind the block of each layer of the request, from one forward
/// pass and a backward pass for each layer and direction. A layer without such a token says why in
/// `obstacle`. A live model's process is asked. Throws InspectionError for a recording, and if the
/// architecture cannot take an input of that size; may throw Cancelled.
std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress = {});

}  // namespace softscope
