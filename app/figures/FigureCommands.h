#pragma once

#include "app/arguments/FigureArguments.h"

#include <vector>

namespace softscope {

// The kinds of `softscope figure` that are more than a table and plots of layers, each in a source
// of its own: BottleneckFigureCommand.cpp writes `softscope figure bottleneck`. The other kinds
// share writePlottedFigure() in FigureKinds.cpp.

/// Each of these functions writes the files that were asked for, and returns the exit code.
int writeBottleneckFigure(const FigureArguments& arguments);
int writeCkaFigure(const FigureArguments& arguments);
int writeClassFigure(const FigureArguments& arguments);
int writeCompareFigure(const FigureArguments& arguments);
int writeCostFigure(const FigureArguments& arguments);
int writeDeletionFigure(const FigureArguments& arguments);
int writeHeadsFigure(const FigureArguments& arguments);
int writeMatrixFigure(const FigureArguments& arguments);
int writeNormsFigure(const FigureArguments& arguments);
int writeOverviewFigure(const FigureArguments& arguments);
int writePageFigure(const FigureArguments& arguments);
int writeReachFigure(const FigureArguments& arguments);
int writeRolloutFigure(const FigureArguments& arguments);
int writeSaliencyFigure(const FigureArguments& arguments);
int writeSanityFigure(const FigureArguments& arguments);
int writeSeriesFigure(const FigureArguments& arguments);
int writeShareFigure(const FigureArguments& arguments);
int writeSurveyFigure(const FigureArguments& arguments);
int writeSweepFigure(const FigureArguments& arguments);
int writeTokensFigure(const FigureArguments& arguments);

/// Each of these functions adds the options of its kind that no described setting gives.
void addBottleneckOptions(CLI::App& command, FigureArguments& arguments);
void addClassOptions(CLI::App& command, FigureArguments& arguments);
void addCostOptions(CLI::App& command, FigureArguments& arguments);
void addDeletionOptions(CLI::App& command, FigureArguments& arguments);
void addMatrixOptions(CLI::App& command, FigureArguments& arguments);
void addNormsOptions(CLI::App& command, FigureArguments& arguments);
void addOverviewOptions(CLI::App& command, FigureArguments& arguments);
void addSurveyOptions(CLI::App& command, FigureArguments& arguments);
void addSweepOptions(CLI::App& command, FigureArguments& arguments);
void addTokensOptions(CLI::App& command, FigureArguments& arguments);

/// Adds `--over`, which says what `figure cost` varies and what moves in `figure sweep`.
void addOverOption(CLI::App& command, FigureArguments& arguments);

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
