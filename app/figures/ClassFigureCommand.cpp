#include "app/arguments/CommandProgress.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/network/Measurements.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace softscope {

namespace {

/// Returns the layer of each model at which maps of tokens are taken; without `--layer`, any layer,
/// which stands for its model.
std::vector<AnalysedLayer> layersOfModels(const FigureArguments& arguments,
                                          const AnalysedModels& analysed) {
  std::vector<AnalysedLayer> layers = analysedLayers(arguments, analysed);
  if (layers.size() != analysed.models.size()) {
    throw UsageError("figure class shows one layer of each model; name one with --layer");
  }
  return layers;
}

ClassMapSettings settingsFor(const FigureArguments& arguments, const ModelSummary& summary) {
  ClassMapSettings settings = arguments.analysis.of<ClassMapSettings>();
  settings.atLayer = !arguments.layers.empty();
  const LogitRequest logit = namedLogit(arguments.classes, summary);
  settings.classIndex = logit.classIndex;
  settings.against = logit.against;
  return settings;
}

std::vector<ModelClassMaps> measureAllClassMaps(const FigureArguments& arguments,
                                                const AnalysedModels& analysed) {
  const std::vector<AnalysedLayer> layers = layersOfModels(arguments, analysed);
  std::vector<ModelClassMaps> measured;
  ProgressLine line;
  for (std::size_t i = 0; i < analysed.models.size(); ++i) {
    const AnalysedModel& model = analysed.models[i];
    Progress progress = stepsOn(line, model.name);
    const Interruption interruption(progress);
    measured.push_back(computeClassMaps(layers[i], *model.model, *model.input,
                                        settingsFor(arguments, model.summary()), measureClassMaps,
                                        progress));
  }
  line.clear();
  return measured;
}

void noteMissing(const std::vector<ModelClassMaps>& models) {
  for (const ModelClassMaps& of : models) {
    for (const ClassMap& map : of.first.maps) {
      if (map.obstacle.empty()) continue;
      noteOnResult(of.model + ": no " + methodName(map.method) + ": " + map.obstacle);
    }
  }
}

}  // namespace

int writeClassFigure(const FigureArguments& arguments) {
  checkFiles(arguments);
  if (arguments.classes.size() > 2) {
    throw UsageError("figure class compares two classes; give --class at most twice");
  }
  noteOtherMethods(arguments);
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<ModelClassMaps> maps = measureAllClassMaps(arguments, analysed);
  noteMissing(maps);
  if constexpr (drawsFigures) drawClassMaps(arguments, maps, analysed.picture);
  writeNumbers(arguments, classMapArrays(maps), notesOn(analysed));
  return 0;
}

void addClassOptions(CLI::App& command, FigureArguments& arguments) {
  forEachSetting(classMapSettings, [&](const auto& setting) {
    addOwn(arguments, {"class", "sanity"},
           addSetting(command, setting, arguments.analysis.of<ClassMapSettings>())->group("Class"));
  });
  std::vector<std::string> kinds{"class", "sanity", "deletion"};
  std::ranges::copy(analysesThat(&AnalysisDescription::takesMaps), std::back_inserter(kinds));
  addOwn(arguments, kinds,
         addRepeatable(command, "--class", arguments.classes,
                       "The class, by name or by number from 0 (default: the predicted one); given "
                       "twice, figure class shows both and their difference, and --map gradient "
                       "takes the gradient of the difference")
             ->type_name("NAME|INDEX")
             ->group("Class"));
}

}  // namespace softscope
