#include "app/figures/ConvergenceFigureCommand.h"

#include "app/arguments/SettingArguments.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

#include <map>

namespace softscope {

int writeConvergenceFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, inspectModels(arguments));
  const ConvergenceSettings& settings = arguments.analysis.convergence;
  const std::vector<LayerConvergence> results = computeConvergence(layers, settings);
  checkObstacles(results);
  if constexpr (drawsFigures) drawConvergence(arguments, results);
  writeNumbers(arguments, convergenceTable(results));
  return 0;
}

void addConvergenceOptions(CLI::App& command, FigureArguments& arguments) {
  ConvergenceSettings& settings = arguments.analysis.convergence;
  forEachSetting(convergenceSettings, [&](const auto& setting) {
    CLI::Option* option = addSetting(command, setting, settings)->group("Convergence");
    if (option->check_name("--iterations")) option->capture_default_str();
    addOwn(arguments, {"convergence"}, option);
  });
}

}  // namespace softscope
