#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

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
  const AnalysedModels looks = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, looks);
  if constexpr (drawsFigures) drawPage(arguments, looks, layers);
  return 0;
}

}  // namespace softscope
