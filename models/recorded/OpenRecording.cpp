#include "models/recorded/OpenRecording.h"

#include "core/CountedText.h"
#include "core/Error.h"
#include "core/model/SettingOption.h"
#include "core/recording/Recording.h"
#include "models/recorded/RecordedNetwork.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace softscope {

namespace {

void refuseChoices(const ModelRequest& request) {
  std::vector<std::pair<std::string, bool>> choices{{"--attention", request.attention.has_value()},
                                                    {"--arch", request.architecture.has_value()},
                                                    {"--heads", request.heads.has_value()},
                                                    {"--landmarks", !request.landmarks.isTrained()},
                                                    {"--weights", request.weights.has_value()}};
  for (const SettingOption& option : settingOptions()) {
    choices.emplace_back(std::string("--") + option.name, (request.*option.value).has_value());
  }
  for (const auto& [option, isGiven] : choices) {
    if (!isGiven) continue;
    throw ModelError(request.path + ": a recording holds no weights, so " + option +
                     " does not go with it; leave it out" +
                     (request.landmarks.isTrained()
                          ? ", or say auto (0 for --heads) beside models that need it"
                          : ""));
  }
}

/// Explains the mechanism, including anything that was guessed.
std::string reasonOf(const Recording& recording) {
  std::string reason = "A recording of " + countedText(std::ssize(recording.layers), "layer") +
                       ": attention as somebody's code computed it, without weights.";
  std::size_t guessed = 0;
  const RecordedLayer* first = nullptr;
  for (const RecordedLayer& layer : recording.layers) {
    if (!layer.guessesGrid) continue;
    if (first == nullptr) first = &layer;
    ++guessed;
  }
  if (first == nullptr) return reason;
  const AttentionDescription& attention = first->record.description;
  const auto& grid = attention.keyGrid;
  reason += " Where tokens lie is guessed in " + countedText(std::int64_t(guessed), "layer") +
            ": in " + first->record.layer + " " + std::to_string(attention.keys) +
            " keys are taken for " + std::to_string(grid->height) + " x " +
            std::to_string(grid->width) + " patches after " +
            std::to_string(attention.prefixTokens) + " others; LAYER/grid would tell.";
  return reason;
}

/// Returns the note that titles show beside the mechanism.
std::string noteOf(const Recording& recording) {
  const bool guesses = std::any_of(recording.layers.begin(), recording.layers.end(),
                                   [](const RecordedLayer& layer) { return layer.guessesGrid; });
  if (!guesses) return recording.note;
  return recording.note + (recording.note.empty() ? "" : ", ") + "grid guessed";
}

/// Returns the heads of the first layer of each stage.
std::vector<int> headsOfStages(const std::vector<LayerSummary>& layers) {
  std::vector<int> heads;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i == 0 || layers[i].stage != layers[i - 1].stage) heads.push_back(layers[i].heads);
  }
  return heads;
}

ModelSummary summaryOf(const Recording& recording, const std::string& path) {
  ModelSummary summary;
  summary.family = "recording";
  summary.variant = recording.variant;
  summary.mechanism = recording.mechanism;
  summary.alternatives = {recording.mechanism};
  summary.mechanismConfidence = 1;
  summary.reason = reasonOf(recording);
  summary.recorded = recording.picture;
  summary.recordedNote = noteOf(recording);
  summary.notRecorded = recording.refused;
  summary.classes = recording.logits.defined() ? static_cast<int>(recording.logits.size(0)) : 0;
  summary.classNames = recording.classNames;
  summary.transform = recording.transform;
  summary.weights = "none";
  summary.path = path;
  for (const RecordedLayer& layer : recording.layers) {
    const AttentionDescription& attention = layer.record.description;
    summary.layers.push_back(
        {layer.record.layer, attention.mechanism, layer.stage, attention.heads});
  }
  summary.heads = headsOfStages(summary.layers);
  return summary;
}

}  // namespace

std::shared_ptr<const Model> openRecording(const ModelRequest& request, const Progress& progress) {
  refuseChoices(request);
  progress.report(0, "Reading " + std::filesystem::path(request.path).filename().string());
  Recording recording = readRecording(request.path);
  ModelSummary summary = summaryOf(recording, request.path);
  return std::make_shared<Model>(std::move(summary),
                                 std::make_shared<RecordedNetwork>(std::move(recording)));
}

}  // namespace softscope
