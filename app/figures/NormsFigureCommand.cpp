#include "app/arguments/CommandProgress.h"
#include "app/arguments/Note.h"
#include "app/arguments/NumberChecks.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/analysis/bottleneck/NormsAnalysis.h"
#include "core/network/Inspector.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace softscope {

namespace {

bool isOfTensor(const FigureArguments& arguments) {
  return guessedFor(imageOf(arguments)) == GuessedFor::Tensor;
}

std::vector<NormsSubject> subjectsOf(const FigureArguments& arguments,
                                     const AnalysedModels& analysed) {
  const auto picture = isOfTensor(arguments) ? nullptr : analysed.picture;
  std::vector<NormsSubject> subjects;
  for (const AnalysedLayer& layer : analysedLayers(arguments, analysed)) {
    const auto model =
        std::find_if(analysed.models.begin(), analysed.models.end(),
                     [&](const AnalysedModel& one) { return one.inspection == layer.inspection; });
    const auto sameInput = [input = model->input] { return *input; };
    subjects.push_back({layer, sizedRun(inspect, model->model, picture, sameInput)});
  }
  return subjects;
}

}  // namespace

int writeNormsFigure(const FigureArguments& arguments) {
  checkFiles(arguments, FigureNumbers::Table);
  const NormsSettings& settings = arguments.analysis.of<NormsSettings>();
  const AnalysedModels analysed = inspectModels(arguments);
  if (!settings.sizes.empty()) {
    checkLacking(analysed, "sweep of sizes");
    if (!arguments.sizes.empty() && !isOfTensor(arguments)) {
      noteOnResult("--size is passed over: --sizes are the sizes that are measured");
    }
  }
  const std::vector<NormsSubject> subjects = subjectsOf(arguments, analysed);
  ProgressLine line;
  Progress progress = stepsOn(line);
  const Interruption interruption(progress);
  const std::vector<LayerNorms> results = computeNorms(subjects, settings, progress);
  line.clear();
  checkObstacles(results);
  if constexpr (drawsFigures) drawNorms(arguments, results);
  writeNumbers(arguments, normsTable(results, settings));
  return 0;
}

void addNormsOptions(CLI::App& command, FigureArguments& arguments) {
  constexpr NumberSetting<NormsSettings, double> rcond = rcondSetting<NormsSettings>;
  addOwn(arguments, {"norms"},
         command
             .add_option(
                 "--sizes", arguments.analysis.of<NormsSettings>().sizes,
                 "Sides of the picture to sweep over, separated by commas; a tensor is resized in "
                 "float")
             ->delimiter(',')
             ->allow_extra_args(false)
             ->check(between(leastSweptSide, mostSweptSide))
             ->type_name("A,B,...")
             ->group("Norms"));
  addOwn(arguments, {"convergence", "norms"},
         command
             .add_option_function<double>(
                 rcond.text.flag,
                 [&arguments](double share) {
                   arguments.analysis.of<NormsSettings>().rcond = share;
                   arguments.analysis.of<ConvergenceSettings>().rcond = share;
                 },
                 rcond.text.help)
             ->check(between(rcond.least, rcond.most))
             ->type_name(rcond.text.type)
             ->group("Norms"));
}

}  // namespace softscope
