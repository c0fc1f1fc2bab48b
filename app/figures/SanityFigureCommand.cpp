#include "app/arguments/CommandProgress.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/classmap/Sanity.h"
#include "core/network/Measurements.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <vector>

namespace softscope {

int writeSanityFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  if (arguments.classes.size() > 1) {
    throw UsageError("figure sanity follows one class; give --class once");
  }
  noteOtherMethods(arguments);
  const AnalysedModels analysed = inspectModels(arguments);
  const ClassMapSettings& settings = arguments.analysis.of<ClassMapSettings>();
  std::vector<ModelSanity> measured;
  ProgressLine line;
  for (const AnalysedModel& model : analysed.models) {
    Progress progress = percentOn(line, model.name);
    const Interruption interruption(progress);
    ClassMapRequest request{.classIndex = std::nullopt,
                            .methods = methodsOf(settings.method),
                            .entries = settings.entries,
                            .points = settings.points};
    if (!arguments.classes.empty()) {
      request.classIndex = namedLogit(arguments.classes, model.summary()).classIndex;
    }
    ModelSanity sanity = measureSanity(*model.model, *model.input, request, progress);
    sanity.model = model.name;
    sanity.mechanismNote = model.note;
    measured.push_back(std::move(sanity));
  }
  line.clear();
  if constexpr (drawsFigures) drawSanity(arguments, measured);
  writeNumbers(arguments, sanityTable(measured));
  return 0;
}

}  // namespace softscope
