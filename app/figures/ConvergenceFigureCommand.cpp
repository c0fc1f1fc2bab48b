#include "app/figures/ConvergenceFigureCommand.h"

#include "app/figures/AnalysedModels.h"
#include "app/figures/HeadlessApplication.h"
#include "widgets/analysis/ConvergencePlots.h"

#include <CLI/CLI.hpp>

#include <map>

namespace softscope {

int drawConvergenceFigure(const FigureArguments& arguments) {
  const HeadlessApplication application;
  checkFiles(arguments, FigureNumbers::Table);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, inspectModels(arguments));
  const ConvergenceSettings& settings = arguments.analysis.convergence;
  const std::vector<LayerConvergence> results = computeConvergence(layers, settings);
  checkObstacles(results);
  writeFiles(arguments, convergenceFigure(results, settings), convergenceTable(results));
  return 0;
}

void addConvergenceOptions(CLI::App& command, FigureArguments& arguments) {
  ConvergenceSettings& settings = arguments.analysis.convergence;
  static const std::map<std::string, std::optional<InverseScheme>> schemes = {
      {"released", std::nullopt},
      {"theorem", InverseScheme::Theorem},
      {"backtracking", InverseScheme::Backtracking},
      {"nystromformer", InverseScheme::Nystromformer}};
  const std::vector<std::string> kinds = {"convergence"};
  addOwn(arguments, kinds,
         command
             .add_option_function<std::string>(
                 "--scheme",
                 [&settings](const std::string& name) { settings.scheme = schemes.at(name); },
                 "Where the iteration starts and how it goes on; released: as each mechanism's "
                 "code does")
             ->check(CLI::IsMember({"released", "theorem", "backtracking", "nystromformer"}))
             ->type_name("released|theorem|backtracking|nystromformer")
             ->group("Convergence"));
  addOwn(arguments, kinds,
         command.add_option("--iterations", settings.iterations, "Steps of the iteration")
             ->check(CLI::Range(1, 10000))
             ->type_name("N")
             ->capture_default_str()
             ->group("Convergence"));
  addOwn(arguments, kinds,
         command
             .add_flag("--float32", settings.singlePrecision,
                       "Iterate in the code's precision instead of float64")
             ->group("Convergence"));
}

}  // namespace softscope
