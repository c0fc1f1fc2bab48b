#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"

namespace softscope {

/// Measures a point in a process of its own: this program, started again. Cancelled, it ends that
/// process and throws Cancelled. Throws MemoryError where memory did not suffice, and
/// InspectionError with what the process complained about otherwise.
CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress);

}  // namespace softscope
