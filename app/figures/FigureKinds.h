#pragma once

#include "app/arguments/FigureArguments.h"
#include "core/analysis/Analysis.h"

#include <vector>

namespace CLI {
class App;
}

namespace softscope {

struct FigureArguments;

/// Makes `softscope figure KIND --help` explain that kind and list only its own options; without a
/// KIND all options are listed. Call it once all options have been added.
void explainKinds(CLI::App& command, const FigureArguments& arguments);

/// A KIND of `softscope figure`: an analysis, and the function that writes its files.
struct FigureKind {
  const AnalysisDescription* about;
  /// Writes the requested files; returns the exit code.
  int (*write)(const FigureArguments& arguments);
  /// Adds the kind's own options, with addOwn(); may be null.
  void (*addOptions)(CLI::App& command, FigureArguments& arguments);
};

/// Returns the kinds in the order in which `--help` lists them.
const std::vector<FigureKind>& figureKinds();

}  // namespace softscope
