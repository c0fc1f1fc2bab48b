#include "app/arguments/CommandProgress.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/rollout/RolloutAnalysis.h"
#include "core/network/Measurements.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>
#include <string>

namespace softscope {

namespace {

/// Returns the shares of a model; null for a recording, which holds no weights.
std::shared_ptr<const ModelShare> sharesOfModel(const AnalysedModels& analysed,
                                                const std::string& name, const Progress& progress) {
  for (const AnalysedModel& model : analysed.models) {
    if (model.name != name || model.model->summary().recorded) continue;
    return measureShare(*model.model, *model.input, {.knockouts = false, .layers = {}}, progress);
  }
  return nullptr;
}

/// Reports for each model how its maps were changed, once: for its last layer, which goes through
/// all others.
void noteDeviations(const std::vector<LayerRollout>& rollouts) {
  std::map<std::string, std::string> deviations;
  for (const LayerRollout& of : rollouts) {
    if (of.obstacle.empty()) deviations[of.of.model] = rolloutDeviation(of.rollout);
  }
  for (const auto& [model, deviation] : deviations) {
    if (!deviation.empty()) noteOnResult(model + ": rollout of " + deviation);
  }
}

/// Throws UsageError for a map that is not rolled out, and for settings that do nothing to it.
void checkMap(ShownMap map, const RolloutSettings& settings) {
  const std::string obstacle = RolloutAnalysis::mapObstacle(map);
  if (!obstacle.empty()) throw UsageError(obstacle + "; leave --map out, or give --map gradient");
  if (map == ShownMap::GradientProduct && !(settings == RolloutSettings())) {
    throw UsageError(
        "--fusion, --signed and --residual belong to the rollout of the attention alone: with "
        "--map gradient, positive entries are averaged over heads and added to what passes by");
  }
}

}  // namespace

int writeRolloutFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  const ShownMap map = arguments.shown.map;
  const RolloutSettings& settings = arguments.analysis.of<RolloutSettings>();
  checkMap(map, settings);
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  const AnalysedLayer& first = layers.front();
  const std::vector<PictureQuery> queries =
      parseQueries(arguments.queries, first.attention(),
                   extentOf(analysed.picture.get(), first.region), Direction::Rows);
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  std::map<std::string, std::shared_ptr<const ModelShare>> shares;
  const SharesOf sharesOf = [&](const AnalysedLayer& of) {
    auto& found = shares[of.model];
    if (!found) found = sharesOfModel(analysed, of.model, progress);
    return found;
  };
  const std::vector<LayerRollout> rollouts =
      computeRollouts({layers, map}, settings, analysed.picture.get(), queries, sharesOf, progress);
  line.clear();
  checkObstacles(rollouts);
  noteDeviations(rollouts);
  if constexpr (drawsFigures) drawRollouts(arguments, rollouts, queries, analysed.picture);
  writeNumbers(arguments, rolloutArrays(rollouts), notesOn(analysed));
  return 0;
}

}  // namespace softscope
