#include "app/figures/BottleneckFigureCommand.h"

#include "app/arguments/UsageError.h"
#include "app/figures/AnalysedModels.h"
#include "app/figures/HeadlessApplication.h"
#include "core/analysis/bottleneck/LandmarkErrors.h"
#include "widgets/analysis/ApproximationFigure.h"
#include "widgets/analysis/BottleneckFigure.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace softscope {

namespace {

/// Head 0 where none is named; empty for all.
std::vector<int> askedBottleneckHeads(const FigureArguments& arguments) {
  const HeadChoice choice = parseHeads(arguments.heads);
  if (choice.mean || choice.largest) {
    throw UsageError("every head has a bottleneck matrix of its own; --head is N or all");
  }
  if (choice.all) return {};
  return choice.heads.empty() ? std::vector<int>{0} : choice.heads;
}

void drawLandmarks(const FigureArguments& arguments, const AnalysedModels& looks,
                   const std::vector<AnalysedLayer>& layers, const std::vector<int>& heads) {
  const auto bottlenecks = computeBottlenecks(layers, heads);
  checkObstacles(bottlenecks);
  const std::optional<int> landmark = arguments.analysis.bottleneck.landmark;
  writeFiles(arguments, bottleneckFigure(bottlenecks, landmark, looks.picture, arguments.view()),
             bottleneckArrays(bottlenecks, landmark));
}

void drawApproximations(const FigureArguments& arguments, const AnalysedModels& looks,
                        const std::vector<AnalysedLayer>& layers, const std::vector<int>& heads) {
  const auto approximations = approximationsOf(layers, heads);
  checkObstacles(approximations);
  const auto first = std::find_if(approximations.begin(), approximations.end(),
                                  [](const auto& head) { return head.obstacle.empty(); });
  const auto queries = readQueries(arguments, first->of.attention(),
                                   PictureExtent(*looks.picture, first->of.region));
  const auto measured = computeApproximations(layers, heads);
  writeFiles(arguments, approximationFigure(measured, queries, looks.picture, arguments.view()),
             approximationArrays(measured, placesOf(queries), looks.picture.get()));
}

void checkLandmarkTable(const FigureArguments& arguments) {
  if (!arguments.analysis.bottleneck.approximation) {
    throw UsageError("--landmarks all is a table of approximations; add --approximation");
  }
  if (arguments.model.landmarks.size() > 1) {
    throw UsageError("--landmarks all is for all models; give it once, and no other --landmarks");
  }
  if (!arguments.output.empty() || arguments.data.empty()) {
    throw UsageError("--landmarks all makes a table and no figure; give --data FILE.csv, no -o");
  }
  checkFiles(arguments, FigureNumbers::Table);
}

/// Every choice of landmarks, with which the whole network runs anew.
void writeLandmarkTable(const FigureArguments& arguments, const std::vector<int>& heads) {
  checkLandmarkTable(arguments);
  std::vector<LandmarkError> errors;
  for (const LandmarkSource source : landmarkSources) {
    FigureArguments chosen = arguments;
    chosen.model = arguments.model.withLandmarks(source);
    const AnalysedModels looks = inspectModels(chosen);
    const std::vector<AnalysedLayer> layers = analysedLayers(chosen, looks);
    if (errors.empty()) checkObstacles(approximationsOf(layers, heads));
    for (LandmarkError& error : measureLandmarks(layers, heads, nameOf(source))) {
      errors.push_back(std::move(error));
    }
  }
  writeCsv(arguments.data, landmarkTable(errors));
  std::cout << arguments.data << '\n';
}

}  // namespace

int drawBottleneckFigure(const FigureArguments& arguments) {
  const BottleneckSettings& settings = arguments.analysis.bottleneck;
  if (settings.approximation && settings.landmark) {
    throw UsageError("--landmark chooses a column of P; --approximation shows rows of --query");
  }
  const std::vector<int> heads = askedBottleneckHeads(arguments);
  if (arguments.model.wantsAllLandmarks()) {
    writeLandmarkTable(arguments, heads);
    return 0;
  }
  const HeadlessApplication application;
  checkFiles(arguments);
  const AnalysedModels looks = inspectModels(arguments);
  const std::vector<AnalysedLayer> layers = analysedLayers(arguments, looks);
  if (settings.approximation) {
    drawApproximations(arguments, looks, layers, heads);
  } else {
    drawLandmarks(arguments, looks, layers, heads);
  }
  return 0;
}

void addBottleneckOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "bottleneck", "Bottleneck", bottleneckSettings,
                 arguments.analysis.bottleneck);
}

}  // namespace softscope
