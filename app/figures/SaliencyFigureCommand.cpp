#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

namespace softscope {

namespace {

HeadChoice askedSaliencyHeads(const FigureArguments& arguments) {
  HeadChoice choice = parseHeads(arguments.heads);
  if (choice.mean || choice.largest) {
    throw UsageError(
        "figure saliency shows sums over heads in place of means and maxima; --head is N or all");
  }
  return choice;
}

/// Returns the last layer whose queries and keys are patches, or else the layer that
/// analysedLayers() chose.
AnalysedLayer lastWithPatches(AnalysedLayer layer) {
  const auto& all = layer.inspection->layers;
  for (std::size_t i = all.size(); i > 0; --i) {
    if (querySaliency(all[i - 1]) && keySaliency(all[i - 1])) {
      layer.index = i - 1;
      break;
    }
  }
  return layer;
}

/// Notes why maps of queries are shown although those of keys were asked for.
void noteSharedKeys(const std::vector<LayerSaliency>& saliencies) {
  for (const LayerSaliency& saliency : saliencies) {
    if (!saliency.keysAreQueries) continue;
    noteOnResult("--only keys is passed over: in " + saliency.of.layer().name +
                 " keys and queries are the same, and are called queries");
  }
}

}  // namespace

int writeSaliencyFigure(const FigureArguments& arguments) {
  const HeadChoice heads = askedSaliencyHeads(arguments);
  checkFiles(arguments);
  const AnalysedModels analysed = inspectModels(arguments);
  std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  if (arguments.layers.empty()) {
    for (AnalysedLayer& layer : layers) layer = lastWithPatches(layer);
  }
  SaliencySettings settings = arguments.analysis.of<SaliencySettings>();
  settings.eachHead = heads.all;
  const std::vector<LayerSaliency> saliencies = computeSaliency(layers, settings, heads.heads);
  checkObstacles(saliencies);
  if (settings.of == SaliencySide::Keys) noteSharedKeys(saliencies);
  if constexpr (drawsFigures) drawSaliency(arguments, saliencies, analysed.picture);
  writeNumbers(arguments, saliencyArrays(saliencies), notesOn(analysed));
  return 0;
}

}  // namespace softscope
