#pragma once

#include "core/analysis/Cost.h"

namespace softscope {

/// Runs an attention operator, or twelve blocks with it, on random numbers in this process, and
/// measures. The high water is this process' own, so that every point needs a process of its own
/// that has done little before. Throws InspectionError for what costMechanisms() does not list,
/// MemoryError for what does not fit in memory, and DeviceError for a device that is not there.
CostPoint measureCost(const CostRequest& request);

}  // namespace softscope
