#include "models/recorded/OpenRecording.h"

#include "core/Error.h"
#include "core/model/ClassNames.h"
#include "core/model/SettingOption.h"
#include "core/network/Network.h"
#include "core/recording/Recording.h"
#include "core/text/Words.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

namespace softscope {

namespace {

/// A recording in the role of a network: for any input, it passes its layers to a recorder and
/// returns the logits of the file. Throws InspectionError if the terms of heads are to be observed
/// or silenced, which would require weights.
class RecordedNetwork final : public Network {
 public:
  explicit RecordedNetwork(Recording recording);

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int height, int width) const override;
  torch::Device device() const override { return torch::kCPU; }

 private:
  Recording recording_;
};

RecordedNetwork::RecordedNetwork(Recording recording) : recording_(std::move(recording)) {}

torch::Tensor RecordedNetwork::forward(const torch::Tensor&, Recorder* recorder) {
  if (recorder != nullptr && recorder->terms() != nullptr) {
    throw InspectionError(
        "a recording holds no weights, so what heads add to the tokens cannot be measured, nor a "
        "head left out; open the checkpoint that it was made of");
  }
  if (recorder != nullptr) {
    for (const RecordedLayer& layer : recording_.layers) recorder->record(layer.record);
  }
  return recording_.logits.defined() ? recording_.logits.unsqueeze(0) : torch::Tensor();
}

void RecordedNetwork::checkInputSize(int height, int width) const {
  const InputTransform& transform = recording_.transform;
  if (height == transform.height && width == transform.width) return;
  throw InspectionError("a recording holds no weights, so it cannot be run at " +
                        std::to_string(height) + " x " + std::to_string(width) +
                        "; it was made at " + std::to_string(transform.height) + " x " +
                        std::to_string(transform.width));
}

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
  summary.setOnlyMechanism(recording.mechanism);
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
  if (request.classNames) nameClasses(summary, *request.classNames);
  return std::make_shared<Model>(std::move(summary),
                                 std::make_shared<RecordedNetwork>(std::move(recording)));
}

}  // namespace softscope
