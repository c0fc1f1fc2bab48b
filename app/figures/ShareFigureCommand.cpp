#include "app/arguments/CommandProgress.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/ShareAnalysis.h"
#include "core/network/Measurements.h"

#include <CLI/CLI.hpp>

namespace softscope {

namespace {

std::vector<MeasuredShare> measureAll(const FigureArguments& arguments) {
  const ShareSettings& settings = arguments.analysis.of<ShareSettings>();
  if (settings.of == ShareReference::Knockout && !settings.knockouts) {
    throw UsageError(
        "--share knockout is made of what --no-knockouts leaves out; give one of them");
  }
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayersOrAll(arguments, analysed);
  std::vector<MeasuredShare> measured;
  ProgressLine line;
  for (const AnalysedModel& model : analysed.models) {
    ShareRequest request{arguments.analysis.of<ShareSettings>().knockouts, {}};
    for (const AnalysedLayer& layer : layersOf(layers, model)) {
      request.layers.push_back(layer.layer().name);
    }
    Progress progress = percentOn(line, model.name);
    const Interruption interruption(progress);
    measured.push_back({model.name, model.summary().mechanismNote(), model.summary().classNames,
                        measureShare(*model.model, *model.input, request, progress)});
  }
  line.clear();
  return measured;
}

}  // namespace

int writeShareFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const std::vector<MeasuredShare> measured = measureAll(arguments);
  if constexpr (drawsFigures) drawShares(arguments, measured);
  writeNumbers(arguments, shareTable(measured));
  return 0;
}

}  // namespace softscope
