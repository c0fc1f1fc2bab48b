#pragma once

#include "app/arguments/FigureArguments.h"
#include "core/analysis/Analysis.h"

#include <vector>

namespace softscope {

/// A KIND of `softscope figure`: an analysis, and what writes its files.
struct FigureKind {
  const AnalysisDescription* about;
  /// Writes the files that were asked for; returns the exit code.
  int (*write)(const FigureArguments& arguments);
  /// Adds the options that are its own, with addOwn(); may be null.
  void (*addOptions)(CLI::App& command, FigureArguments& arguments);
};

/// In the order `--help` lists them.
const std::vector<FigureKind>& figureKinds();

}  // namespace softscope
