#include "app/arguments/CommandProgress.h"
#include "app/arguments/FilesRead.h"
#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "app/figures/CheckpointSteps.h"
#include "app/figures/FigureCommands.h"
#include "app/figures/PassedOverChoices.h"
#include "app/figures/drawing/AnalysedModels.h"
#include "app/figures/drawing/FigureDrawings.h"
#include "core/files/Overwriting.h"
#include "core/query/QueryPath.h"
#include "core/text/Names.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using Moments = std::vector<SweepMoment>;

/// The frames of a sweep, and what those who read its numbers must know.
struct Sweep {
  Moments moments;
  std::vector<std::string> notes;
  /// Names that precede those of the arrays, one for each moment; empty if layer and query tell
  /// moments apart.
  std::vector<std::string> names;
};

const SweepSettings& settingsOf(const FigureArguments& arguments) {
  return arguments.analysis.of<SweepSettings>();
}

/// Returns the shown layers of a model that have the map.
std::vector<LayerInspection> sweptLayers(const FigureArguments& arguments,
                                         const AnalysedModel& model) {
  std::vector<LayerInspection> layers =
      chosenLayers(*model.inspection, arguments.layers, model.summary().mechanism);
  checkMap(layers, arguments.shown.map);
  std::erase_if(layers, [&](const auto& layer) { return !hasMap(layer, arguments.shown.map); });
  return layers;
}

SweepMoment momentOf(const FigureArguments& arguments, const AnalysedModels& analysed,
                     std::vector<LayerInspection> layers, std::vector<PictureQuery> queries) {
  const AnalysedModel& model = analysed.models.front();
  SweepMoment moment{analysed.picture, model.region, model.title, model.note, {}, {}, {}};
  if (arguments.readDirection() == Direction::Rows) {
    moment.likeness = layerLikeness(layers, arguments.shown.map);
  }
  moment.layers = std::move(layers);
  moment.queries = std::move(queries);
  return moment;
}

/// Returns the moment of a model that has run, with the queries of the command line.
SweepMoment momentOf(const FigureArguments& arguments, const AnalysedModels& analysed) {
  std::vector<LayerInspection> layers = sweptLayers(arguments, analysed.models.front());
  std::vector<PictureQuery> queries = parseQueries(
      arguments.queries, layers.front().attention->description(),
      extentOf(analysed.picture.get(), analysed.models.front().region), arguments.readDirection());
  return momentOf(arguments, analysed, std::move(layers), std::move(queries));
}

/// Returns the places that the query passes.
std::vector<PictureQuery> pathOf(const FigureArguments& arguments,
                                 const AttentionDescription& attention,
                                 const PictureExtent& extent) {
  const Direction direction = arguments.readDirection();
  std::vector<PictureQuery> corners = parseQueries(arguments.queries, attention, extent, direction);
  if (std::ranges::any_of(corners,
                          [](const auto& query) { return query.prefixToken.has_value(); })) {
    throw UsageError(
        "a query's path goes through places of the picture; leave out class and token in --at and "
        "--query");
  }
  return sweptPlaces(std::move(corners), settingsOf(arguments).frames, attention, extent,
                     direction);
}

Sweep sweepOverQuery(const FigureArguments& arguments) {
  const AnalysedModels analysed = inspectModels(arguments);
  const std::vector<LayerInspection> layers = sweptLayers(arguments, analysed.models.front());
  const auto path = pathOf(arguments, layers.front().attention->description(),
                           extentOf(analysed.picture.get(), analysed.models.front().region));
  Sweep sweep{{}, notesOn(analysed), {}};
  const SweepMoment first = momentOf(arguments, analysed, layers, {});
  for (const PictureQuery& query : path) {
    sweep.moments.push_back(first);
    sweep.moments.back().queries = {query};
  }
  return sweep;
}

Sweep sweepOverLayers(FigureArguments arguments) {
  if (arguments.layers.empty()) arguments.layers = {"all"};
  const AnalysedModels analysed = inspectModels(arguments);
  const SweepMoment all = momentOf(arguments, analysed);
  Sweep sweep{{}, notesOn(analysed), {}};
  for (std::size_t i = 0; i < all.layers.size(); ++i) {
    SweepMoment moment = all;
    moment.layers = {all.layers[i]};
    if (!all.likeness.empty()) moment.likeness = {all.likeness[i]};
    sweep.moments.push_back(std::move(moment));
  }
  return sweep;
}

/// Opens one checkpoint after the other; of each, only the shown layers are kept.
Sweep sweepOverCheckpoints(const FigureArguments& arguments, const Progress& progress) {
  CheckpointSteps steps = stepsOf(arguments.model);
  if (steps.paths.size() < 2) {
    throw UsageError(
        "a sweep over checkpoints needs two or more; give a folder of them, a name with wildcards "
        "such as 'run/epoch_*.pth', or -m for each");
  }
  checkOutputs({arguments.output, arguments.data}, filesRead(steps.paths, {}));
  // A name that is given twice would name the arrays of two checkpoints.
  steps.names = uniqueNames(steps.names);
  Sweep sweep;
  for (std::size_t i = 0; i < steps.paths.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(steps.paths.size()),
                    steps.names[i]);
    FigureArguments step = arguments;
    const std::size_t model = steps.models[i];
    step.sizes = {arguments.input(model).size};
    step.model = arguments.model.only(model);
    step.model.checkpoints = {steps.paths[i]};
    step.model.names = {steps.names[i]};
    const AnalysedModels analysed = inspectModels(step);
    sweep.moments.push_back(momentOf(arguments, analysed));
    sweep.names.push_back(steps.names[i]);
    for (std::string& note : notesOn(analysed)) sweep.notes.push_back(std::move(note));
  }
  return sweep;
}

/// Returns the number of landmarks that the first of the shown layers was trained with.
int trainedLandmarks(const FigureArguments& arguments) {
  FigureArguments trained = arguments;
  trained.model = arguments.model.withLandmarks(LandmarkSource::Trained);
  const AnalysedModels analysed = inspectModels(trained);
  const AnalysedModel& model = analysed.models.front();
  for (const LayerInspection& layer :
       chosenLayers(*model.inspection, arguments.layers, model.summary().mechanism)) {
    const std::optional<int>& landmarks = layer.attention->description().landmarks;
    if (landmarks) return *landmarks;
  }
  throw InspectionError("a sweep over landmarks needs a layer that has some, and " + model.name +
                        " (" + model.summary().mechanism +
                        ") has none there; sweep over the query or the layers");
}

FigureArguments withLandmarks(const FigureArguments& arguments, const LandmarkChoice& choice) {
  FigureArguments chosen = arguments;
  chosen.model = arguments.model.withLandmarks(choice.source);
  chosen.model.landmarkCounts = {*choice.count};
  return chosen;
}

/// Runs the network with each number of landmarks. Reports on stderr the numbers that do not fit
/// some layer of the network.
Sweep sweepOverLandmarks(const FigureArguments& arguments, const Progress& progress) {
  const std::vector<LandmarkChoice> choices = sweptLandmarks(
      arguments.model.request(0).landmarks, arguments.landmarkCounts, trainedLandmarks(arguments));
  Sweep sweep;
  std::vector<std::string> leftOut;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    progress.report(static_cast<double>(i) / static_cast<double>(choices.size()),
                    choices[i].text());
    try {
      const AnalysedModels analysed = inspectModels(withLandmarks(arguments, choices[i]));
      sweep.moments.push_back(momentOf(arguments, analysed));
      sweep.names.push_back(std::to_string(*choices[i].count) + "_landmarks");
      for (std::string& note : notesOn(analysed)) sweep.notes.push_back(std::move(note));
    } catch (const InspectionError& error) {
      leftOut.push_back(choices[i].text() + " are left out: " + error.what());
    }
  }
  if (sweep.moments.empty() && !leftOut.empty()) throw InspectionError(leftOut.front());
  for (const std::string& reason : leftOut) noteOnResult(reason);
  return sweep;
}

Sweep sweepOf(const FigureArguments& arguments, const Progress& progress) {
  switch (settingsOf(arguments).over) {
    case SweepOver::Layers:
      return sweepOverLayers(arguments);
    case SweepOver::Checkpoints:
      return sweepOverCheckpoints(arguments, progress);
    case SweepOver::Landmarks:
      return sweepOverLandmarks(arguments, progress);
    case SweepOver::Query:
      break;
  }
  return sweepOverQuery(arguments);
}

void checkSweepOptions(const FigureArguments& arguments) {
  const SweepSettings& settings = settingsOf(arguments);
  const bool ofCheckpoints = settings.over == SweepOver::Checkpoints;
  if (!ofCheckpoints && arguments.model.checkpoints.size() != 1) {
    throw UsageError(
        "figure sweep shows one model; give -m once, or --over checkpoints for the steps of a "
        "training");
  }
  if (settings.frames > 0 && settings.over != SweepOver::Query) {
    throw UsageError(
        "--frames is of a query's path; otherwise there is a frame for each layer, checkpoint or "
        "number of landmarks");
  }
  if (!arguments.landmarkCounts.empty() && settings.over != SweepOver::Landmarks) {
    throw UsageError("--landmark-counts is of --over landmarks");
  }
  if (!std::filesystem::path(arguments.output).has_extension()) {
    noteUnused(arguments, {"--fps", "--loops"}, "only a .gif or a .webp moves");
  }
  if (settings.over == SweepOver::Landmarks && !arguments.model.landmarkCounts.empty()) {
    throw UsageError(
        "a sweep over landmarks has several numbers; give --landmark-counts A,B,... instead of "
        "--landmark-count");
  }
}

/// Refuses before anything is drawn, whatever is written.
void checkCount(const Moments& moments) {
  if (moments.size() < 2) {
    throw InspectionError(
        "a sweep needs two frames or more, and there is one; choose a longer path, more layers or "
        "more checkpoints");
  }
  if (moments.size() <= mostSweptFrames) return;
  throw InspectionError("a sweep has at most " + std::to_string(mostSweptFrames) + " frames, not " +
                        std::to_string(moments.size()) +
                        "; choose a part of them, or --frames along a path");
}

/// Returns the arrays of all frames. Those of a patch that several frames ask about are there once.
NamedArrays arraysOf(const FigureArguments& arguments, const Sweep& sweep) {
  const ShownHeads heads = parseHeads(arguments.heads).shown();
  NamedArrays arrays;
  for (std::size_t i = 0; i < sweep.moments.size(); ++i) {
    const SweepMoment& moment = sweep.moments[i];
    const auto answers =
        askLayers(moment.layers, extentOf(moment.picture.get(), moment.region), moment.queries,
                  arguments.readDirection(), heads, arguments.shown.map);
    for (auto& [name, array] : answerArrays(answers)) {
      std::string full = sweep.names.empty() ? name : sweep.names[i] + "." + name;
      const bool isThere =
          std::ranges::any_of(arrays, [&](const auto& entry) { return entry.first == full; });
      if (!isThere) arrays.emplace_back(std::move(full), std::move(array));
    }
  }
  return arrays;
}

}  // namespace

int writeSweepFigure(const FigureArguments& arguments) {
  checkOver(arguments, sweepOverNames);
  checkSweepOptions(arguments);
  checkFiles(arguments);
  ProgressLine line;
  Progress progress = percentOn(line);
  const Interruption interruption(progress);
  const Sweep sweep = sweepOf(arguments, progress);
  checkCount(sweep.moments);
  if constexpr (drawsFigures) drawSweep(arguments, sweep.moments, progress);
  line.clear();
  writeNumbers(arguments, arraysOf(arguments, sweep), sweep.notes);
  return 0;
}

void addSweepOptions(CLI::App& command, FigureArguments& arguments) {
  SweepSettings& settings = arguments.analysis.of<SweepSettings>();
  forEachSetting(sweepSettings, [&](const auto& setting) {
    if (std::string_view(setting.text.key) == "over") return;
    addOwn(arguments, {"sweep"}, addSetting(command, setting, settings)->group("Sweep"));
  });
}

void addOverOption(CLI::App& command, FigureArguments& arguments) {
  std::vector<std::string> names;
  const auto list = [&names](const auto& choices) {
    for (const auto& choice : choices) names.emplace_back(choice.name);
  };
  if (drawsFigures) list(sweepOverNames);
  list(costOverNames);
  const auto take = [&arguments](const std::string& name) {
    arguments.over = name;
    for (const auto& choice : sweepOverNames) {
      if (name == choice.name) arguments.analysis.of<SweepSettings>().over = choice.value;
    }
    for (const auto& choice : costOverNames) {
      if (name == choice.name) arguments.analysis.of<CostSweep>().over = choice.value;
    }
  };
  const std::string swept =
      "What moves in a sweep: the query along the places of --at and --query, or across the "
      "picture if there are fewer than two (query, the default); the layer (layers); the step of a "
      "training, whose checkpoints -m names (checkpoints); or the number of landmarks "
      "(landmarks). ";
  const std::string cost = "What is varied for the cost: tokens, channels or heads";
  addOwn(
      arguments,
      drawsFigures ? std::vector<std::string>{"sweep", "cost"} : std::vector<std::string>{"cost"},
      command.add_option_function<std::string>("--over", take, (drawsFigures ? swept : "") + cost)
          ->type_name("WHAT")
          ->check(CLI::IsMember(names))
          ->group("Sweep and cost"));
}

}  // namespace softscope
