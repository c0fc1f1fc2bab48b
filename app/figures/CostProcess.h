#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"

namespace softscope {

/// Measures a point in a process of its own, by starting this program again. If cancelled, ends
/// that process and throws Cancelled. Throws MemoryError if there was not enough memory, and
/// InspectionError with the process's error message for other failures.
CostPoint measureInChildProcess(const CostRequest& request, const Progress& progress);

}  // namespace softscope
