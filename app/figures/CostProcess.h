#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"

namespace softscope {

/// Measures a point in a process of its own: this program, started again. Cancelled, it ends that
/// process and throws Cancelled. Throws InspectionError with what the process complained about.
CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress);

}  // namespace softscope
