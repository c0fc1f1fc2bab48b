#include "app/figures/RolloutFigureCommand.h"

#include "app/arguments/Interruption.h"
#include "app/arguments/ProgressLine.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

namespace softscope {

int writeRolloutFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const AnalysedModels looks = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, looks);
  const AnalysedLayer& first = layers.front();
  const std::vector<PictureQuery> queries =
      parseQueries(arguments.queries, first.attention(),
                   extentOf(looks.picture.get(), first.region), Direction::Rows);
  ProgressLine line;
  Progress progress([&](double, const std::string& what) { line.show(what); });
  const Interruption interruption(progress);
  const std::vector<LayerRollout> rollouts =
      computeRollouts(layers, arguments.analysis.rollout, looks.picture.get(), queries, progress);
  line.clear();
  checkObstacles(rollouts);
  if constexpr (drawsFigures) drawRollouts(arguments, rollouts, queries, looks.picture);
  writeNumbers(arguments, rolloutArrays(rollouts), notesOn(looks));
  return 0;
}

void addRolloutOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "rollout", "Rollout", rolloutSettings,
                 arguments.analysis.rollout);
}

}  // namespace softscope
