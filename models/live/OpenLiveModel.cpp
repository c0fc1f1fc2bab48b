#include "models/live/OpenLiveModel.h"

#include "core/Error.h"
#include "core/files/Malformed.h"
#include "core/network/Network.h"
#include "core/recording/Recording.h"
#include "core/text/Words.h"

#include <torch/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// A model in a Python process in the role of a network. It is fed whole pictures with values in
/// [0, 1]: preparing them is the process's own business.
class LiveNetwork final : public Network {
 public:
  LiveNetwork(std::string name, std::vector<std::string> layers, std::shared_ptr<LiveModels> models)
      : name_(std::move(name)), layers_(std::move(layers)), models_(std::move(models)) {}

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

 private:
  std::map<std::string, std::vector<int>> silencedHeads(Recorder* recorder) const;

  std::string name_;
  std::vector<std::string> layers_;
  std::shared_ptr<LiveModels> models_;
};

/// Returns the 8-bit picture that values in [0, 1] [1, 3, height, width] were made from.
LivePicture eightBitPicture(const torch::Tensor& pictures) {
  const torch::Tensor pixels =
      pictures[0].mul(255).round().clamp(0, 255).to(torch::kUInt8).permute({1, 2, 0}).contiguous();
  const auto* data = reinterpret_cast<const char*>(pixels.data_ptr<std::uint8_t>());
  return {static_cast<int>(pixels.size(1)),
          static_cast<int>(pixels.size(0)),
          std::string(data, static_cast<std::size_t>(pixels.numel())),
          {}};
}

std::map<std::string, std::vector<int>> LiveNetwork::silencedHeads(Recorder* recorder) const {
  std::map<std::string, std::vector<int>> silenced;
  const TermObserver* terms = recorder == nullptr ? nullptr : recorder->terms();
  if (terms == nullptr) return silenced;
  for (const std::string& layer : layers_) {
    std::vector<int> heads = terms->silencedHeads(layer);
    if (!heads.empty()) silenced.emplace(layer, std::move(heads));
  }
  return silenced;
}

torch::Tensor LiveNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  const LiveQuestion question{eightBitPicture(pictures), silencedHeads(recorder)};
  const LiveAnswer answer = models_->ask(name_, question, [recorder] {
    if (recorder != nullptr) recorder->throwIfCancelled();
  });
  if (!answer.logits.empty()) return torch::tensor(answer.logits).unsqueeze(0);
  if (!question.silenced.empty()) throw InspectionError("Python answered without logits");
  Recording recording;
  try {
    recording = readRecordingBytes(answer.recording);
  } catch (const Malformed& malformed) {
    throw InspectionError("Python's answer is no recording: it " + std::string(malformed.what()));
  }
  if (recorder != nullptr) {
    recorder->recordSeen(answer.region);
    for (const RecordedLayer& layer : recording.layers) recorder->record(layer.record);
  }
  return recording.logits.defined() ? recording.logits.unsqueeze(0) : torch::Tensor();
}

}  // namespace

void refuseLive(const std::string& path) {
  const std::string name(liveName(path));
  if (name.empty()) return;
  throw ModelError(path +
                   ": runs in a Python process, which only the window that it connected to "
                   "can ask; softscope.record() there writes a file for the command line");
}

std::shared_ptr<const Model> openLiveModel(const std::string& name,
                                           std::shared_ptr<LiveModels> models) {
  const LiveDescription description = models->describe(name);
  ModelSummary summary;
  summary.family = "python";
  summary.variant = description.variant.empty() ? "custom" : description.variant;
  summary.mechanism = description.mechanism.empty() ? "attention" : description.mechanism;
  summary.alternatives = {summary.mechanism};
  summary.mechanismConfidence = 1;
  summary.reason = "A model in a Python process, connected now: " +
                   countedText(std::ssize(description.layers), "layer") +
                   " with attention, verified there against what the model computes.";
  summary.isLive = true;
  summary.notRecorded = description.refused;
  summary.classNames = description.classNames;
  summary.classes = static_cast<int>(description.classNames.size());
  summary.layers = description.layers;
  if (!summary.layers.empty()) summary.heads = {summary.layers.back().heads};
  summary.transform.extent = InputTransform::Extent::FullSize;
  summary.transform.mean = {0, 0, 0};
  summary.transform.deviation = {1, 1, 1};
  summary.weights = "none";
  summary.path = livePath(name);
  std::vector<std::string> layers;
  for (const LayerSummary& layer : description.layers) layers.push_back(layer.name);
  return std::make_shared<Model>(
      std::move(summary),
      std::make_shared<LiveNetwork>(name, std::move(layers), std::move(models)));
}

}  // namespace softscope
