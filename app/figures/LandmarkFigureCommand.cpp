#include "app/figures/LandmarkFigureCommand.h"

#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/Error.h"
#include "core/analysis/bottleneck/LandmarkErrors.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

namespace softscope {

namespace {

void checkLandmarkOptions(const FigureArguments& arguments) {
  if (!arguments.analysis.bottleneck.approximation) {
    throw UsageError("--landmarks all compares approximations; add --approximation");
  }
  if (arguments.model.landmarks.size() > 1) {
    throw UsageError("--landmarks all is for all models; give it once, and no other --landmarks");
  }
  if (!arguments.landmarkCounts.empty() && !arguments.model.landmarkCounts.empty()) {
    throw UsageError("give --landmark-count or --landmark-counts, not both");
  }
  checkFiles(arguments, FigureNumbers::Table);
}

/// The arguments with one choice of landmarks; where `count` says nothing, as they are.
FigureArguments withLandmarks(const FigureArguments& arguments, LandmarkSource source,
                              std::optional<int> count) {
  FigureArguments chosen = arguments;
  chosen.model = arguments.model.withLandmarks(source);
  if (count) chosen.model.landmarkCounts = {*count};
  return chosen;
}

std::vector<LandmarkError> measureChoice(const FigureArguments& chosen,
                                         const std::vector<int>& heads, LandmarkSource source,
                                         RankBounds& bounds) {
  const AnalysedModels looks = inspectModels(chosen);
  const std::vector<AnalysedLayer> layers = analysedLayers(chosen, looks);
  if (source == LandmarkSource::Trained) checkObstacles(approximationsOf(layers, heads));
  return measureLandmarks(layers, heads, nameOf(source), bounds);
}

void append(std::vector<LandmarkError>& errors, std::vector<LandmarkError> more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// Every source with every number of landmarks. A number that some layer has no such landmarks of
/// is left out, and stderr says why.
std::vector<LandmarkError> measureChoices(const FigureArguments& arguments,
                                          const std::vector<int>& heads) {
  std::vector<std::optional<int>> counts(arguments.landmarkCounts.begin(),
                                         arguments.landmarkCounts.end());
  if (counts.empty()) counts.emplace_back();
  RankBounds bounds;
  std::vector<LandmarkError> errors;
  for (const LandmarkSource source : landmarkSources) {
    if (source == LandmarkSource::Trained) {
      append(errors, measureChoice(withLandmarks(arguments, source, {}), heads, source, bounds));
      continue;
    }
    for (const std::optional<int>& count : counts) {
      try {
        append(errors,
               measureChoice(withLandmarks(arguments, source, count), heads, source, bounds));
      } catch (const InspectionError& error) {
        if (!count) throw;
        note(std::to_string(*count) + " " + nameOf(source) +
             " landmarks are left out: " + error.what());
      }
    }
  }
  return errors;
}

}  // namespace

int writeLandmarkFigure(const FigureArguments& arguments, const std::vector<int>& heads) {
  checkLandmarkOptions(arguments);
  const std::vector<LandmarkError> errors = measureChoices(arguments, heads);
  if constexpr (drawsFigures) drawLandmarkErrors(arguments, errors);
  writeNumbers(arguments, landmarkTable(errors));
  return 0;
}

}  // namespace softscope
