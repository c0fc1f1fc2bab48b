#include "app/figures/OverviewFigureCommand.h"

#include "app/arguments/Interruption.h"
#include "app/arguments/ProgressLine.h"
#include "app/figures/AnalysedModels.h"
#include "app/figures/FigureDrawings.h"

#include <CLI/CLI.hpp>

namespace softscope {

int writeOverviewFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const OverviewOf of = arguments.analysis.overview.of;
  const std::vector<AnalysedLayer> layers =
      analysedLayersOrAll(arguments, inspectModels(arguments));
  ProgressLine line;
  Progress progress([&](double, const std::string& what) { line.show(what); });
  const Interruption interruption(progress);
  const std::vector<LayerOverview> overview = computeOverview(layers, of, progress);
  line.clear();
  checkOverview(overview, of);
  if constexpr (drawsFigures) drawOverview(arguments, overview);
  writeNumbers(arguments, overviewTable(overview, of));
  return 0;
}

void addOverviewOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "overview", "Overview", overviewSettings,
                 arguments.analysis.overview);
}

}  // namespace softscope
