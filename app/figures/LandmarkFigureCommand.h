#pragma once

#include "app/arguments/FigureArguments.h"

#include <vector>

namespace softscope {

/// Returns the arguments for running the networks whose approximations are examined: with their
/// landmarks as trained, since `--landmarks` only selects landmarks for the kernels, unless
/// `--rerun` is given.
FigureArguments asTheNetworkRuns(const FigureArguments& arguments);

/// Writes the figure of `softscope figure bottleneck --approximation --landmarks all`: the error of
/// the Nystrom form of `heads` (all heads if empty) against the exact kernel for every choice of
/// landmarks, with as many as were trained or as `--landmark-counts` says. The kernels are those of
/// the network as trained; with `--rerun` the whole network runs anew for each choice. Throws
/// UsageError for options that do not apply.
int writeLandmarkFigure(const FigureArguments& arguments, const std::vector<int>& heads);

}  // namespace softscope
