#include "app/arguments/CommandProgress.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/text/Words.h"

#include <CLI/CLI.hpp>

namespace softscope {

namespace {

OverviewMeasure overviewMeasure(const FigureArguments& arguments) {
  if (arguments.measure.empty()) return OverviewSettings().of;
  std::vector<std::string> names;
  for (const auto& choice : overviewNames) {
    if (arguments.measure == choice.name) return choice.value;
    names.emplace_back(choice.name);
  }
  throw UsageError("--measure of an overview is " + listedWithOr(names) + ", not " +
                   arguments.measure);
}

}  // namespace

int writeOverviewFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const OverviewMeasure of = overviewMeasure(arguments);
  const std::vector<AnalysedLayer> layers =
      analysedLayersOrAll(arguments, inspectModels(arguments));
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  const std::vector<LayerOverview> overview = computeOverview(layers, of, progress);
  line.clear();
  checkOverview(overview, of);
  if constexpr (drawsFigures) drawOverview(arguments, overview, of);
  writeNumbers(arguments, overviewTable(overview, of));
  return 0;
}

void addOverviewOptions(CLI::App& command, FigureArguments& arguments) {
  // Each kind has its own measures, so it parses the text itself.
  addOwn(arguments, {"overview", "survey", "series"},
         command
             .add_option("--measure", arguments.measure,
                         "Of an overview distance, entropy or entries: how far heads look, in "
                         "pixels, how widely, as a share of ln(keys), or their largest entries. Of "
                         "a survey any that it has, of a series any of softscope survey --list")
             ->type_name("NAME")
             ->group("Overview, survey, series"));
}

}  // namespace softscope
