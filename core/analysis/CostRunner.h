#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"

#include <functional>

namespace softscope {

/// Measures one point of a cost figure. The application passes in the implementation, which knows
/// about networks and processes. Runs on the worker. May throw Cancelled.
using CostRunner = std::function<CostPoint(const CostRequest&, const Progress&)>;

}  // namespace softscope
