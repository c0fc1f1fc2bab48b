#include "app/figures/drawing/AnalysedModels.h"

#include "app/arguments/LayerChoice.h"
#include "app/arguments/Note.h"
#include "app/arguments/QueryArguments.h"
#include "core/Error.h"
#include "core/image/SeenPicture.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "core/text/Names.h"
#include "models/OpenModel.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace softscope {

namespace {

/// Returns the indices of a model's layers that `--layer` selects.
std::vector<std::size_t> chosenIndices(const FigureArguments& arguments,
                                       const AnalysedModels& analysed, std::size_t place) {
  const AnalysedModel& model = analysed.models[place];
  const auto& all = model.inspection->layers;
  std::vector<std::size_t> indices;
  const auto add = [&](const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& layer) { return layer.name == name; });
    indices.push_back(static_cast<std::size_t>(found - all.begin()));
  };
  const std::size_t models = analysed.models.size();
  const bool names =
      std::none_of(arguments.layers.begin(), arguments.layers.end(),
                   [](const std::string& text) { return text == "all" || isPattern(text); });
  const bool onePerModel = models > 1 && names && arguments.layers.size() == models;
  const bool linked = models > 1 && names && arguments.layers.size() == 1;
  if (onePerModel || linked) {
    add(comparedLayer(*analysed.models.front().inspection, *model.inspection, arguments.layers,
                      place, model.summary().mechanism)
            .name);
    return indices;
  }
  for (const LayerInspection& layer :
       chosenLayers(*model.inspection, arguments.layers, model.summary().mechanism)) {
    add(layer.name);
  }
  return indices;
}

/// Throws InspectionError unless some layer has that channel.
void checkChannel(const Inspection& inspection, int channel) {
  int most = 0;
  for (const LayerInspection& layer : inspection.layers) most = std::max(most, channelsOf(layer));
  if (channel < most) return;
  throw InspectionError(most == 0 ? "no layer here has matrices of single channels; leave out "
                                    "--channel"
                                  : "there are channels 0 to " + std::to_string(most - 1) +
                                        ", and no --channel " + std::to_string(channel));
}

bool takesMaps(const FigureArguments& arguments) {
  const std::vector<std::string> kinds = analysesThat(&AnalysisDescription::takesMaps);
  return std::ranges::find(kinds, arguments.kind) != kinds.end();
}

InspectionOptions inspectionOptions(const FigureArguments& arguments, const ModelSummary& summary) {
  if (!takesMaps(arguments)) return {};
  return {.logit = askedLogit(arguments.shown, arguments.classes, summary)};
}

}  // namespace

std::string imageOf(const FigureArguments& arguments) {
  return arguments.image.empty() ? pictureAmong(arguments.model.checkpoints) : arguments.image;
}

std::shared_ptr<const Model> openFigureModel(const FigureArguments& arguments, std::size_t index,
                                             const std::string& image) {
  auto model = openModel(arguments.model.request(index, arguments.input(index).size));
  noteGuesses(model->summary(), guessedFor(image));
  return model;
}

AnalysedModels inspectModels(const FigureArguments& arguments, const AnalysedModels* opened) {
  if (takesMaps(arguments)) checkLogit(arguments.shown, arguments.classes);
  setComputeThreads(arguments.model.threads);
  const std::size_t count = arguments.model.checkpoints.size();
  const std::vector<std::string> titles = arguments.model.modelNames();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string given = arguments.model.givenName(i);
    const std::filesystem::path file = arguments.model.checkpoints[i];
    names.push_back(given.empty() ? file.stem().string() : given);
  }
  names = uniqueNames(names);
  AnalysedModels analysed;
  const std::string image = imageOf(arguments);
  for (std::size_t i = 0; i < count; ++i) {
    std::shared_ptr<const Model> model =
        opened ? opened->models[i].model : openFigureModel(arguments, i, image);
    Input input = readInput(image, model->summary(), arguments.input(i));
    auto inspection =
        inspect(*model, input.tensor, {}, inspectionOptions(arguments, model->summary()));
    std::string note = noteOn(model->summary(), *input.picture);
    if (const auto channel = arguments.channel.chosen()) {
      checkChannel(*inspection, *channel);
      inspection = atChannel(inspection, channel);
    }
    const PictureRegion region = regionSeen(input.region, input.tensor, inspection->seen);
    analysed.models.push_back({std::move(model), std::move(inspection), region, names[i],
                               std::make_shared<const InputTensor>(std::move(input.tensor)),
                               titles[i], std::move(note)});
    if (!analysed.picture) analysed.picture = std::move(input.picture);
  }
  return analysed;
}

std::vector<std::string> notesOn(const AnalysedModels& analysed,
                                 const std::vector<std::string>& more) {
  std::vector<std::string> notes;
  for (const AnalysedModel& model : analysed.models) {
    if (!model.note.empty()) notes.push_back(model.name + ": " + model.note);
    const std::string channel = channelNote(*model.inspection);
    if (!channel.empty()) notes.push_back(model.name + ": " + channel);
  }
  notes.insert(notes.end(), more.begin(), more.end());
  return notes;
}

std::vector<AnalysedLayer> analysedLayers(const FigureArguments& arguments,
                                          const AnalysedModels& analysed) {
  std::vector<AnalysedLayer> layers;
  for (std::size_t i = 0; i < analysed.models.size(); ++i) {
    const AnalysedModel& model = analysed.models[i];
    for (const std::size_t index : chosenIndices(arguments, analysed, i)) {
      layers.push_back({model.name, model.note, model.inspection, index, model.region});
    }
  }
  return layers;
}

std::vector<AnalysedLayer> analysedLayersOrAll(FigureArguments arguments,
                                               const AnalysedModels& analysed) {
  if (arguments.layers.empty()) arguments.layers = {"all"};
  return analysedLayers(arguments, analysed);
}

std::vector<AnalysedLayer> layersOf(const std::vector<AnalysedLayer>& layers,
                                    const AnalysedModel& model) {
  std::vector<AnalysedLayer> own;
  std::ranges::copy_if(layers, std::back_inserter(own),
                       [&](const AnalysedLayer& layer) { return layer.model == model.name; });
  return own;
}

void checkLacking(const AnalysedModels& analysed, const std::string& lacking) {
  for (const AnalysedModel& model : analysed.models) {
    const std::string obstacle = model.summary().obstacleTo(lacking);
    if (obstacle.empty()) continue;
    throw InspectionError(analysed.models.size() > 1 ? model.name + ": " + obstacle : obstacle);
  }
}

void checkObstacles(const std::vector<AnalysedLayer>& layers,
                    const std::vector<std::string>& obstacles) {
  const auto stopped = static_cast<std::size_t>(
      std::count_if(obstacles.begin(), obstacles.end(), [](const auto& o) { return !o.empty(); }));
  if (stopped == layers.size()) {
    throw InspectionError(obstacles.empty() ? "there is no attention layer" : obstacles.front());
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (obstacles[i].empty()) continue;
    noteOnResult(layers[i].model + ", " + layers[i].layer().name + " is left out: " + obstacles[i]);
  }
}

}  // namespace softscope
