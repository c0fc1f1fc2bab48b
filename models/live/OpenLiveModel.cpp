#include "models/live/OpenLiveModel.h"

#include "core/Error.h"
#include "core/files/Malformed.h"
#include "core/network/Network.h"
#include "core/recording/Recording.h"
#include "core/text/Words.h"

#include <torch/types.h>

#include <utility>

namespace softscope {

namespace {

/// A model in a Python process in the role of a network. It is fed whole pictures with values in
/// [0, 1]: preparing them is the process's own business.
class LiveNetwork final : public Network {
 public:
  LiveNetwork(std::string name, std::shared_ptr<LiveModels> models)
      : name_(std::move(name)), models_(std::move(models)) {}

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

 private:
  std::string name_;
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

torch::Tensor LiveNetwork::forward(const torch::Tensor& pictures, Recorder* recorder) {
  if (recorder != nullptr && recorder->terms() != nullptr) {
    throw InspectionError(
        "the network runs in a Python process, which does not say what heads add to the tokens");
  }
  const LiveAnswer answer = models_->ask(name_, eightBitPicture(pictures), [recorder] {
    if (recorder != nullptr) recorder->throwIfCancelled();
  });
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
  return std::make_shared<Model>(std::move(summary),
                                 std::make_shared<LiveNetwork>(name, std::move(models)));
}

}  // namespace softscope
