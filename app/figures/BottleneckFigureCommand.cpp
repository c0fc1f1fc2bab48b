#include "app/arguments/NumberChecks.h"
#include "app/arguments/UsageError.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace softscope {

namespace {

/// Returns the requested heads: head 0 if none is named; empty for all.
std::vector<int> askedBottleneckHeads(const FigureArguments& arguments) {
  const HeadChoice choice = parseHeads(arguments.heads);
  if (choice.mean || choice.largest) {
    throw UsageError("every head has a bottleneck matrix of its own; --head is N or all");
  }
  if (choice.all) return {};
  return choice.heads.empty() ? std::vector<int>{0} : choice.heads;
}

void writeLandmarks(const FigureArguments& arguments, const AnalysedModels& analysed,
                    const std::vector<AnalysedLayer>& layers, const std::vector<int>& heads) {
  const auto bottlenecks = computeBottlenecks(layers, heads);
  checkObstacles(bottlenecks);
  const std::optional<int> landmark = arguments.analysis.of<BottleneckSettings>().landmark;
  if constexpr (drawsFigures) drawBottlenecks(arguments, bottlenecks, analysed.picture);
  writeNumbers(arguments, bottleneckArrays(bottlenecks, landmark), notesOn(analysed));
}

/// Returns the approximations with each model's choice of landmarks, for the kernel of its network
/// as it ran.
std::vector<HeadApproximation> chosenApproximations(const FigureArguments& arguments,
                                                    const AnalysedModels& analysed,
                                                    const std::vector<AnalysedLayer>& layers,
                                                    const std::vector<int>& heads) {
  std::vector<HeadApproximation> measured;
  for (std::size_t i = 0; i < analysed.models.size(); ++i) {
    std::vector<AnalysedLayer> own;
    std::copy_if(layers.begin(), layers.end(), std::back_inserter(own),
                 [&](const AnalysedLayer& layer) {
                   return layer.inspection == analysed.models[i].inspection;
                 });
    const LandmarkChoice landmarks =
        arguments.rerunsLandmarks ? LandmarkChoice() : arguments.model.request(i).landmarks;
    for (HeadApproximation& head : computeApproximations(own, heads, landmarks)) {
      measured.push_back(std::move(head));
    }
  }
  return measured;
}

void writeApproximations(const FigureArguments& arguments, const AnalysedModels& analysed,
                         const std::vector<AnalysedLayer>& layers, const std::vector<int>& heads) {
  const auto approximations = approximationsOf(layers, heads);
  checkObstacles(approximations);
  const auto first = std::find_if(approximations.begin(), approximations.end(),
                                  [](const auto& head) { return head.obstacle.empty(); });
  const auto queries =
      parseQueries(arguments.queries, first->of.attention(),
                   PictureExtent(*analysed.picture, first->of.region), Direction::Rows);
  const auto measured =
      chosenApproximations(arguments, analysed, approximatedLayers(approximations), heads);
  checkObstacles(measured);
  if constexpr (drawsFigures) drawApproximations(arguments, measured, queries, analysed.picture);
  writeNumbers(arguments, approximationArrays(measured, queries, analysed.picture.get()),
               notesOn(analysed));
}

void checkBottleneckOptions(const FigureArguments& arguments) {
  const BottleneckSettings& settings = arguments.analysis.of<BottleneckSettings>();
  if (settings.approximation && settings.landmark) {
    throw UsageError("--landmark chooses a column of P; --approximation shows rows of --query");
  }
  if (!arguments.rerunsLandmarks) return;
  if (!settings.approximation) {
    throw UsageError(
        "--rerun belongs to --approximation; the landmarks alone are always those "
        "that the network runs with");
  }
  if (arguments.model.landmarks.empty()) {
    throw UsageError("--rerun runs the network with other landmarks; choose them with --landmarks");
  }
}

}  // namespace

int writeBottleneckFigure(const FigureArguments& arguments) {
  checkBottleneckOptions(arguments);
  const bool approximation = arguments.analysis.of<BottleneckSettings>().approximation;
  const std::vector<int> heads = askedBottleneckHeads(arguments);
  if (arguments.model.wantsAllLandmarks()) {
    noteUnasked(arguments, "--landmarks all compares whole matrices");
    return writeLandmarkFigure(arguments, heads);
  }
  if (!arguments.landmarkCounts.empty()) {
    throw UsageError("--landmark-counts is of --landmarks all; --landmark-count is one number");
  }
  if (!approximation) noteUnasked(arguments, "only --approximation shows rows of queries");
  checkFiles(arguments);
  const FigureArguments run = approximation ? asTheNetworkRuns(arguments) : arguments;
  const AnalysedModels analysed = inspectModels(run);
  const std::vector<AnalysedLayer> layers = analysedLayers(run, analysed);
  if (approximation) {
    writeApproximations(arguments, analysed, layers, heads);
  } else {
    writeLandmarks(arguments, analysed, layers, heads);
  }
  return 0;
}

void addBottleneckOptions(CLI::App& command, FigureArguments& arguments) {
  addOwnSettings(command, arguments, "bottleneck", "Bottleneck", bottleneckSettings,
                 arguments.analysis.of<BottleneckSettings>());
  addOwn(arguments, {"bottleneck", "sweep"},
         command
             .add_option("--landmark-counts", arguments.landmarkCounts,
                         "Numbers of landmarks that --landmarks all compares, or that a sweep over "
                         "landmarks shows, separated by commas")
             ->delimiter(',')
             ->allow_extra_args(false)
             ->check(between(1, mostLandmark))
             ->type_name("A,B,...")
             ->group("Bottleneck"));
  addOwn(arguments, {"bottleneck"},
         command
             .add_flag("--rerun", arguments.rerunsLandmarks,
                       "Run the network with the landmarks of --landmarks before they are compared "
                       "with its kernel; without it they stand for the kernel of the network as "
                       "it was trained")
             ->group("Bottleneck"));
}

}  // namespace softscope
