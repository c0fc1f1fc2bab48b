#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"

#include <functional>

namespace softscope {

/// How costs are measured, by whom knows networks and processes; app passes this in. Runs on the
/// worker. May throw Cancelled.
using CostRunner = std::function<CostPoint(const CostRequest&, const Progress&)>;

}  // namespace softscope
