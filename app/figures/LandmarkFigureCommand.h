#pragma once

#include "app/arguments/FigureArguments.h"

#include <vector>

namespace softscope {

/// `softscope figure bottleneck --approximation --landmarks all`: how far the Nystrom form of
/// `heads` (all where none are named) is from the exact kernel with every choice of landmarks, as
/// many as were trained or as many as `--landmark-counts` says. The whole network runs anew for
/// each. Throws UsageError for options that say nothing to it.
int writeLandmarkFigure(const FigureArguments& arguments, const std::vector<int>& heads);

}  // namespace softscope
