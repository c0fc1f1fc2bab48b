#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/analysis/bottleneck/LandmarkErrors.h"

#include <iterator>
#include <optional>
#include <string>

namespace softscope {

namespace {

void checkLandmarkOptions(const FigureArguments& arguments) {
  if (!arguments.analysis.of<BottleneckSettings>().approximation) {
    throw UsageError("--landmarks all compares approximations; add --approximation");
  }
  if (arguments.model.landmarks.size() > 1) {
    throw UsageError("--landmarks all is for all models; give it once, and no other --landmarks");
  }
  if (arguments.model.landmarkCounts.size() > 1 || arguments.model.landmarkSeeds.size() > 1) {
    throw UsageError(
        "--landmarks all is for all models; give --landmark-count and "
        "--landmark-seed once");
  }
  if (!arguments.landmarkCounts.empty() && !arguments.model.landmarkCounts.empty()) {
    throw UsageError("give --landmark-count or --landmark-counts, not both");
  }
  checkFiles(arguments, FigureNumbers::Table);
}

void append(std::vector<LandmarkError>& errors, std::vector<LandmarkError> more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// Returns every choice with every number of landmarks, those that the network was trained with
/// first.
std::vector<LandmarkChoice> comparedChoices(const FigureArguments& arguments) {
  std::vector<std::optional<int>> counts(arguments.landmarkCounts.begin(),
                                         arguments.landmarkCounts.end());
  if (counts.empty()) counts.emplace_back();
  std::vector<LandmarkChoice> choices;
  for (const LandmarkSource source : landmarkSources) {
    LandmarkChoice choice = arguments.model.withLandmarks(source).request(0).landmarks;
    if (choice.isTrained()) {
      choices.push_back(choice);
      continue;
    }
    for (const std::optional<int>& count : counts) {
      if (count) choice.count = count;
      choices.push_back(choice);
    }
  }
  return choices;
}

void noteLeftOut(const LandmarkChoice& choice, const std::string& why) {
  const std::string count = choice.count ? std::to_string(*choice.count) + " " : std::string();
  noteOnResult(count + nameOf(choice.source) + " landmarks are left out: " + why);
}

/// Measures one choice, for the kernels of networks as they ran. Reports on stderr the layers that
/// have landmarks, but not these.
std::vector<LandmarkError> measureChoice(const std::vector<AnalysedLayer>& layers,
                                         const std::vector<int>& heads,
                                         const LandmarkChoice& choice, ExactKernels& kernels) {
  std::vector<LandmarkError> errors = measureLandmarks(layers, heads, choice, kernels);
  for (const LandmarkError& error : errors) {
    const std::string& obstacle = error.approximation.obstacle;
    if (!obstacle.empty()) noteLeftOut(choice, obstacle);
  }
  std::erase_if(errors, [](const auto& error) { return !error.approximation.obstacle.empty(); });
  return errors;
}

/// Measures one choice, with the networks rerun with it.
std::vector<LandmarkError> measureRerun(const FigureArguments& arguments,
                                        const std::vector<int>& heads, const LandmarkChoice& choice,
                                        ExactKernels& kernels) {
  FigureArguments chosen = arguments;
  chosen.model = arguments.model.withLandmarks(choice.source);
  if (choice.count) chosen.model.landmarkCounts = {*choice.count};
  const std::vector<AnalysedLayer> layers = analysedLayers(chosen, inspectModels(chosen));
  if (choice.isTrained()) checkObstacles(approximationsOf(layers, heads));
  std::vector<LandmarkError> errors = measureLandmarks(layers, heads, {}, kernels);
  for (LandmarkError& error : errors) error.approximation.landmarks = choice;
  return errors;
}

/// Measures all choices. A number of landmarks that does not fit some layer of a network is left
/// out, with the reason on stderr.
std::vector<LandmarkError> measureReruns(const FigureArguments& arguments,
                                         const std::vector<int>& heads) {
  ExactKernels kernels;
  std::vector<LandmarkError> errors;
  for (const LandmarkChoice& choice : comparedChoices(arguments)) {
    try {
      append(errors, measureRerun(arguments, heads, choice, kernels));
    } catch (const InspectionError& error) {
      if (!choice.count) throw;
      noteLeftOut(choice, error.what());
    }
  }
  return errors;
}

std::vector<LandmarkError> measureChoices(const FigureArguments& arguments,
                                          const std::vector<int>& heads) {
  const FigureArguments run = asTheNetworkRuns(arguments);
  const AnalysedModels analysed = inspectModels(run);
  const auto approximations = approximationsOf(analysedLayers(run, analysed), heads);
  checkObstacles(approximations);
  const std::vector<AnalysedLayer> layers = approximatedLayers(approximations);
  ExactKernels kernels;
  std::vector<LandmarkError> errors;
  for (const LandmarkChoice& choice : comparedChoices(arguments)) {
    append(errors, measureChoice(layers, heads, choice, kernels));
  }
  return errors;
}

}  // namespace

FigureArguments asTheNetworkRuns(const FigureArguments& arguments) {
  if (arguments.rerunsLandmarks) return arguments;
  FigureArguments run = arguments;
  run.model = arguments.model.withLandmarks(LandmarkSource::Trained);
  return run;
}

int writeLandmarkFigure(const FigureArguments& arguments, const std::vector<int>& heads) {
  checkLandmarkOptions(arguments);
  const std::vector<LandmarkError> errors = arguments.rerunsLandmarks
                                                ? measureReruns(arguments, heads)
                                                : measureChoices(arguments, heads);
  if constexpr (drawsFigures) drawLandmarkErrors(arguments, errors);
  writeNumbers(arguments, landmarkTable(errors));
  return 0;
}

}  // namespace softscope
