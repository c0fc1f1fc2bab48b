#pragma once

#include "app/arguments/FigureArguments.h"

#include <vector>

namespace softscope {

/// The arguments that networks run with where approximations are looked at: their landmarks as
/// trained, whatever `--landmarks` compares with their kernels, unless `--rerun` is given.
FigureArguments asTheNetworkRuns(const FigureArguments& arguments);

/// `softscope figure bottleneck --approximation --landmarks all`: how far the Nystrom form of
/// `heads` (all where none are named) is from the exact kernel with every choice of landmarks, as
/// many as were trained or as many as `--landmark-counts` says. The kernels are those of the
/// network as it was trained; with `--rerun` the whole network runs anew for each choice. Throws
/// UsageError for options that say nothing to it.
int writeLandmarkFigure(const FigureArguments& arguments, const std::vector<int>& heads);

}  // namespace softscope
