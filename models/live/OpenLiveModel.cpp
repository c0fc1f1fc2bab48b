#include "models/live/OpenLiveModel.h"

#include "core/Error.h"
#include "core/analysis/reach/Reach.h"
#include "core/files/Malformed.h"
#include "core/network/Network.h"
#include "core/network/RemoteNetwork.h"
#include "core/recording/Recording.h"
#include "core/text/Words.h"

#include <torch/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// A model in a Python process in the role of a network. It is fed whole pictures with values in
/// [0, 1]: preparing them is the process's own business.
class LiveNetwork final : public Network, public RemoteReachNetwork, public RemoteShareNetwork {
 public:
  LiveNetwork(std::string name, std::vector<std::string> layers, std::shared_ptr<LiveModels> models)
      : name_(std::move(name)), layers_(std::move(layers)), models_(std::move(models)) {}

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override;
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }
  std::vector<Reach> reach(const InputTensor& input, const ReachRequest& request,
                           const Progress& progress) override;
  RemoteSilence silence(const InputTensor& input, const std::string& layer,
                        const std::vector<int>& heads, const Progress& progress) override;

 private:
  Recording run(const LivePicture& picture, Recorder* recorder,
                const std::function<void()>& throwIfCancelled);
  AttentionDescription description(const LivePicture& picture, const std::string& layer,
                                   const Progress& progress);
  void fillReach(Reach& reach, const LivePicture& picture, const ReachRequest& request,
                 const Progress& progress);
  std::map<std::string, std::vector<int>> silencedHeads(Recorder* recorder) const;

  std::string name_;
  std::vector<std::string> layers_;
  std::shared_ptr<LiveModels> models_;

  std::mutex mutex_;
  /// The layers of the last answer, and the size of the picture that they were asked about.
  int knownWidth_ = 0;
  int knownHeight_ = 0;
  std::map<std::string, AttentionDescription> known_;
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
  const LivePicture picture = eightBitPicture(pictures);
  const auto throwIfCancelled = [recorder] {
    if (recorder != nullptr) recorder->throwIfCancelled();
  };
  const std::map<std::string, std::vector<int>> silenced = silencedHeads(recorder);
  if (!silenced.empty()) {
    const LiveAnswer answer = models_->ask(name_, {picture, silenced}, throwIfCancelled);
    if (answer.logits.empty()) throw InspectionError("Python answered without logits");
    return torch::tensor(answer.logits).unsqueeze(0);
  }
  const Recording recording = run(picture, recorder, throwIfCancelled);
  return recording.logits.defined() ? recording.logits.unsqueeze(0) : torch::Tensor();
}

Recording LiveNetwork::run(const LivePicture& picture, Recorder* recorder,
                           const std::function<void()>& throwIfCancelled) {
  const LiveAnswer answer = models_->ask(name_, {picture}, throwIfCancelled);
  Recording recording;
  try {
    recording = readRecordingBytes(answer.recording);
  } catch (const Malformed& malformed) {
    throw InspectionError("Python's answer is no recording: it " + std::string(malformed.what()));
  }
  {
    const std::lock_guard lock(mutex_);
    knownWidth_ = picture.width;
    knownHeight_ = picture.height;
    known_.clear();
    for (const RecordedLayer& layer : recording.layers) {
      known_[layer.record.layer] = layer.record.description;
    }
  }
  if (recorder != nullptr) {
    recorder->recordSeen(answer.region);
    for (const RecordedLayer& layer : recording.layers) recorder->record(layer.record);
  }
  return recording;
}

/// Returns how a layer's tokens lie on a picture of this size, for which the process is asked if it
/// has answered about another size since.
AttentionDescription LiveNetwork::description(const LivePicture& picture, const std::string& layer,
                                              const Progress& progress) {
  for (const bool again : {false, true}) {
    if (again) run(picture, nullptr, [&] { progress.throwIfCancelled(); });
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(layer);
    const bool isOfSize = picture.width == knownWidth_ && picture.height == knownHeight_;
    if (isOfSize && found != known_.end()) return found->second;
  }
  throw InspectionError("Python has no attention of " + layer);
}

/// Returns a view of the values, [1, 3, H, W].
torch::Tensor pictureOf(const InputTensor& input) {
  return torch::from_blob(const_cast<float*>(input.values.data()),
                          {1, input.channels, input.height, input.width}, torch::kFloat32);
}

/// Takes the influences of the tokens before a block, which lie as its queries do, or its keys.
void takeTokens(Reach& reach, const AttentionDescription& layer, const Eigen::VectorXd& all) {
  std::optional<TokenGrid> grid;
  if (all.size() == layer.queries) grid = layer.queryGrid;
  if (!grid && all.size() == layer.keys) grid = layer.keyGrid;
  const Eigen::Index before = layer.prefixTokens;
  if (!grid || before + grid->count() > all.size()) {
    throw InspectionError("the " + std::to_string(all.size()) + " tokens before the block of " +
                          reach.layer + " lie on no grid that is known");
  }
  const Eigen::Index behind = all.size() - before - grid->count();
  reach.height = grid->height;
  reach.width = grid->width;
  reach.pixels = all.segment(before, grid->count());
  reach.prefix.resize(before + behind);
  reach.prefix << all.head(before), all.tail(behind);
}

void LiveNetwork::fillReach(Reach& reach, const LivePicture& picture, const ReachRequest& request,
                            const Progress& progress) {
  const AttentionDescription layer = description(picture, reach.layer, progress);
  if (!layer.queryGrid) {
    throw InspectionError("the tokens of " + reach.layer + " lie on no grid that is known");
  }
  chooseToken(reach, *layer.queryGrid, layer.prefixTokens, request);
  reach.from = request.from;
  const LiveReachQuestion asked{.layer = reach.layer,
                                .token = reach.token,
                                .fromPixels = request.from == ReachSource::Pixels,
                                .behindAttention = request.behind == ReachedToken::BehindAttention,
                                .isPositive = request.of == ReachGradient::PositiveSum,
                                .directions = request.directions};
  const LiveAnswer answer =
      models_->ask(name_, {picture, {}, asked}, [&] { progress.throwIfCancelled(); });
  if (!answer.reach) throw InspectionError("Python answered without what reaches the token");
  const LiveReach& reached = *answer.reach;
  reach.channels = reached.channels;
  reach.directions = reached.directions;
  const Eigen::VectorXd all =
      Eigen::Map<const Eigen::VectorXf>(reached.values.data(), std::ssize(reached.values))
          .cast<double>();
  if (!all.allFinite()) {
    throw InspectionError("the gradient of the token behind " + reach.layer + " is not finite");
  }
  if (!asked.fromPixels) return takeTokens(reach, layer, all);
  reach.height = reached.height;
  reach.width = reached.width;
  reach.pixels = all;
}

RemoteSilence LiveNetwork::silence(const InputTensor& input, const std::string& layer,
                                   const std::vector<int>& heads, const Progress& progress) {
  const LiveAnswer answer =
      models_->ask(name_, {eightBitPicture(pictureOf(input)), {{layer, heads}}},
                   [&] { progress.throwIfCancelled(); });
  if (answer.logits.empty()) throw InspectionError("Python answered without logits");
  RemoteSilence silent{.logits = answer.logits, .addition = {}};
  if (answer.added) {
    silent.addition = RemoteAddition{.attentionNorm = answer.added->attention,
                                     .projectedNorm = answer.added->projected,
                                     .residualNorm = answer.added->residual,
                                     .outputNorm = answer.added->output,
                                     .besideNorm = answer.added->beside};
  }
  return silent;
}

std::vector<Reach> LiveNetwork::reach(const InputTensor& input, const ReachRequest& request,
                                      const Progress& progress) {
  const LivePicture asked = eightBitPicture(pictureOf(input));
  std::vector<Reach> reaches;
  for (const std::string& layer : request.layers) {
    Reach reach{.layer = layer};
    try {
      fillReach(reach, asked, request, progress);
    } catch (const InspectionError& error) {
      reach.obstacle = error.what();
    }
    reaches.push_back(std::move(reach));
  }
  return reaches;
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
  summary.setOnlyMechanism(description.mechanism.empty() ? "attention" : description.mechanism);
  const bool isVerified = description.note.find("not verified") == std::string::npos;
  summary.reason = "A model in a Python process, connected now: " +
                   countedText(std::ssize(description.layers), "layer") + " with attention" +
                   (isVerified ? ", verified there against what the model computes." : ".");
  summary.isLive = true;
  summary.notRecorded = description.refused;
  summary.recordedNote = description.note;
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
