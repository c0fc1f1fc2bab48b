#include "app/arguments/CommandProgress.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/network/Measurements.h"
#include "core/query/QueryToken.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace softscope {

namespace {

/// Returns what every chosen layer of every model reaches on one picture.
std::vector<LayerReach> reachOnPicture(const FigureArguments& arguments,
                                       const AnalysedModels& analysed,
                                       const std::vector<AnalysedLayer>& layers,
                                       const PictureQuery& query) {
  std::vector<LayerReach> reaches;
  ProgressLine line;
  for (const AnalysedModel& model : analysed.models) {
    Progress progress = stepsOn(line, model.name);
    const Interruption interruption(progress);
    const PictureQuery place = withinSeen(extentOf(analysed.picture.get(), model.region), query);
    const ReachRequest request{
        .layers = {}, .x = place.x, .y = place.y, .prefixToken = place.prefixToken};
    for (LayerReach& of :
         computeReach(layersOf(layers, model), *model.model, *model.input, request,
                      arguments.analysis.of<ReachSettings>(), measureReach, progress)) {
      reaches.push_back(std::move(of));
    }
  }
  line.clear();
  return reaches;
}

}  // namespace

int writeReachFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  if (arguments.queries.size() > 1) {
    throw UsageError("figure reach asks about one token; give --query or --at once");
  }
  if (arguments.analysis.of<ReachSettings>().of == ReachGradient::PositiveSum) {
    noteUnused(arguments, {"--directions"}, "a positive gradient takes one pass, along none");
  }
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  const AnalysedLayer& first = layers.front();
  const PictureQuery query =
      parseQueries(arguments.queries, first.attention(),
                   extentOf(analysed.picture.get(), first.region), Direction::Rows)
          .front();
  std::vector<LayerReach> reaches = reachOnPicture(arguments, analysed, layers, query);
  FigureArguments one = arguments;
  for (std::size_t i = 1; i < arguments.images.size(); ++i) {
    one.image = arguments.images[i];
    const AnalysedModels next = inspectModels(one, &analysed);
    addPicture(reaches, reachOnPicture(one, next, analysedLayers(one, next), query));
  }
  checkObstacles(reaches);
  if constexpr (drawsFigures) {
    drawReach(arguments, reaches, query, arguments.images.size() > 1 ? nullptr : analysed.picture);
  }
  writeNumbers(arguments, reachArrays(reaches), notesOn(analysed));
  return 0;
}

}  // namespace softscope
