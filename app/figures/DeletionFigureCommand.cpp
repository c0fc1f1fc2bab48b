#include "app/arguments/CommandProgress.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/analysis/deletion/DeletionAnalysis.h"
#include "core/network/Measurements.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace softscope {

namespace {

std::vector<PictureDeletion> measureDeletions(const FigureArguments& arguments) {
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  std::vector<PictureDeletion> deletions;
  ProgressLine line;
  for (const AnalysedModel& model : analysed.models) {
    Progress progress = percentOn(line, model.name);
    const Interruption interruption(progress);
    const SharesOf shares = [&](const AnalysedLayer&) {
      return measureShare(*model.model, *model.input, {.knockouts = false, .layers = {}},
                          progress.silent());
    };
    DeletionSettings settings = arguments.analysis.of<DeletionSettings>();
    if (!arguments.classes.empty()) {
      settings.classIndex = namedLogit(arguments.classes, model.summary()).classIndex;
    }
    deletions.push_back(computeDeletion(layersOf(layers, model), *model.model, model.input,
                                        settings, {measureDeletion, shares, measureClassMaps},
                                        progress));
  }
  line.clear();
  return deletions;
}

/// Reports on stderr what is left out, and which maps were changed. Throws InspectionError if
/// nothing remains.
void noteObstacles(const std::vector<PictureDeletion>& deletions) {
  if (std::all_of(deletions.begin(), deletions.end(),
                  [](const PictureDeletion& of) { return !of.obstacle.empty(); })) {
    throw InspectionError(deletions.front().obstacle);
  }
  for (const PictureDeletion& of : deletions) {
    if (!of.obstacle.empty()) noteOnResult(of.model + " is left out: " + of.obstacle);
    for (const OrderedDeletion& order : of.orders) {
      if (!order.note.empty())
        noteOnResult(of.model + ": " + orderName(order.of) + " of " + order.note);
    }
    for (const MissingOrder& order : of.missing) {
      noteOnResult(of.model + ": no " + orderName(order.of) +
                   (order.layer.empty() ? "" : " of " + order.layer) + ": " + order.obstacle);
    }
  }
}

}  // namespace

int writeDeletionFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  if (arguments.classes.size() > 1) {
    throw UsageError("figure deletion follows one class; give --class once");
  }
  const std::vector<PictureDeletion> deletions = measureDeletions(arguments);
  noteObstacles(deletions);
  if constexpr (drawsFigures) drawDeletions(arguments, deletions);
  writeNumbers(arguments, deletionTable(deletions));
  return 0;
}

void addDeletionOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "deletion", "Deletion", deletionSettings,
                 arguments.analysis.of<DeletionSettings>());
}

}  // namespace softscope
