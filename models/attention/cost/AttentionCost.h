#pragma once

#include "core/analysis/Cost.h"

namespace softscope {

/// Runs an attention operator, or twelve blocks with it, on random numbers in this process, and
/// measures it. The high water mark is that of this process, so every point needs a fresh process
/// that has done little before. Throws InspectionError for anything that costMechanisms() does not
/// list, MemoryError if memory is insufficient, and DeviceError if the device does not exist.
CostPoint measureCost(const CostRequest& request);

}  // namespace softscope
