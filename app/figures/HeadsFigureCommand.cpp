#include "app/arguments/LayerChoice.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/query/Caveats.h"

namespace softscope {

int writePageFigure(const FigureArguments& arguments) {
  if (!arguments.data.empty()) {
    throw UsageError(
        "figure page has no numbers for --data: the page holds all of them; softscope dump writes "
        "the maps as arrays");
  }
  if (arguments.queries.size() > 1) {
    throw UsageError(
        "figure page begins with one query, which its reader changes; give --at or --query once");
  }
  if (arguments.heads.size() > 1) {
    throw UsageError(
        "figure page shows all heads and begins with one of them large; give --head once");
  }
  checkFiles(arguments);
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  if constexpr (drawsFigures) drawPage(arguments, analysed, layers);
  return 0;
}

int writeHeadsFigure(const FigureArguments& arguments) {
  if (arguments.model.checkpoints.size() != 1) {
    throw UsageError("figure heads shows one model; give -m once, or draw figure compare");
  }
  checkFiles(arguments);
  const ShownHeads heads = parseHeads(arguments.heads).shown();
  const Direction direction = arguments.readDirection();
  const ShownMap map = arguments.shown.map;

  const AnalysedModels analysed = inspectModels(arguments);
  const AnalysedModel& model = analysed.models.front();
  std::vector<LayerInspection> layers =
      chosenLayers(*model.inspection, arguments.layers, model.summary().mechanism);
  checkMap(layers, map);
  std::erase_if(layers, [&](const auto& layer) { return !hasMap(layer, map); });
  const PictureExtent seen(*analysed.picture, model.region);
  const std::vector<PictureQuery> queries =
      parseQueries(arguments.queries, layers.front().attention->description(), seen, direction);
  std::vector<QueriedLayer> answers = askLayers(layers, seen, queries, direction, heads, map);
  // Likeness is measured between rows, so it says nothing about columns.
  const std::vector<SharedLikeness> likeness =
      direction == Direction::Rows ? layerLikeness(layers, map) : std::vector<SharedLikeness>();
  tellLikeness(answers, likeness);
  if constexpr (drawsFigures) drawHeads(arguments, analysed, layers, likeness, queries);
  writeNumbers(arguments, answerArrays(answers), notesOn(analysed, answerCaveats(answers)));
  return 0;
}

}  // namespace softscope
