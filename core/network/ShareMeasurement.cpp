#include "core/Error.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/network/Recorder.h"
#include "core/network/RemoteNetwork.h"
#include "core/network/ShareRecorder.h"
#include "core/text/Words.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace softscope {

namespace {

/// Leaves some heads of one layer out, and records nothing.
class SilencingRecorder final : public Recorder, public TermObserver {
 public:
  SilencingRecorder(std::string layer, std::vector<int> heads, const Progress& progress)
      : layer_(std::move(layer)), heads_(std::move(heads)), progress_(progress) {}

  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string& layer) const override {
    return layer == layer_ ? heads_ : std::vector<int>();
  }
  void record(AttentionRecord) override { progress_.throwIfCancelled(); }
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  void recordTerms(TermRecord) override {}
  void recordAddition(AdditionRecord) override {}

 private:
  std::string layer_;
  std::vector<int> heads_;
  const Progress& progress_;
};

/// Runs a model on a picture repeatedly, leaving out its heads one after the other.
class KnockoutSeries {
 public:
  KnockoutSeries(const Model& model, const InputTensor& input, ModelShare& share,
                 const Progress& progress)
      : model_(model),
        input_(input),
        share_(share),
        progress_(progress),
        remote_(dynamic_cast<RemoteShareNetwork*>(&model.network())) {
    for (const LayerShare& layer : share.layers) passes_ += passesOf(layer);
  }

  void run() {
    for (LayerShare& layer : share_.layers) run(layer);
    share_.knockouts = true;
    if (remote_ != nullptr) share_.hasNorms = knowsNorms_;
  }

 private:
  /// A layer with a single head needs only one pass.
  static std::size_t passesOf(const LayerShare& layer) {
    return layer.heads.size() > 1 ? layer.heads.size() + 1 : 1;
  }

  void run(LayerShare& layer) {
    std::vector<int> all(layer.heads.size());
    std::iota(all.begin(), all.end(), 0);
    silence(layer, layer.whole, all);
    if (layer.heads.size() == 1) {
      const Knockout alone = *layer.whole.knockout;
      if (remote_ != nullptr) layer.heads.front() = layer.whole;
      layer.heads.front().knockout = alone;
      return;
    }
    for (const int head : all) {
      silence(layer, layer.heads[static_cast<std::size_t>(head)], {head});
    }
  }

  /// Enters the knock-out of some heads; of a network that runs elsewhere also how much they add.
  void silence(LayerShare& layer, HeadShare& share, const std::vector<int>& heads) {
    const std::string which =
        heads.size() == 1 ? ", head " + std::to_string(heads.front()) : std::string();
    progress_.report(static_cast<double>(done_++) / static_cast<double>(passes_),
                     "Without " + shortLayerName(layer.layer) + which);
    if (remote_ != nullptr) {
      const RemoteSilence silent = remote_->silence(input_, layer.layer, heads, progress_);
      if (silent.logits.size() != share_.logits.size()) {
        throw InspectionError("the Python process answers with another number of classes");
      }
      share.knockout = compareLogits(share_.logits, silent.logits);
      enter(silent.addition, layer, share);
      return;
    }
    SilencingRecorder recorder(layer.layer, heads, progress_);
    share.knockout = compareLogits(share_.logits, runNetwork(model_, input_, &recorder));
  }

  void enter(const std::optional<RemoteAddition>& addition, LayerShare& layer, HeadShare& share) {
    if (!addition) {
      knowsNorms_ = false;
      return;
    }
    share.attentionNorm = addition->attentionNorm;
    share.besideNorm = addition->besideNorm;
    share.projectedNorm = addition->projectedNorm;
    layer.residualNorm = addition->residualNorm;
    layer.outputNorm = addition->outputNorm;
  }

  const Model& model_;
  const InputTensor& input_;
  ModelShare& share_;
  const Progress& progress_;
  /// The network if it runs elsewhere; null otherwise.
  RemoteShareNetwork* remote_;
  /// False once an answer did not say how much heads add.
  bool knowsNorms_ = true;
  std::size_t passes_ = 0;
  std::size_t done_ = 0;
};

/// Returns the layers of a network in another process, which tells its norms with the knock-outs.
std::vector<LayerShare> layersWithoutNorms(const ModelSummary& summary) {
  std::vector<LayerShare> layers;
  for (const LayerSummary& layer : summary.layers) {
    LayerShare share;
    share.layer = layer.name;
    share.mechanism = layer.mechanism;
    share.heads.resize(static_cast<std::size_t>(layer.heads));
    layers.push_back(std::move(share));
  }
  return layers;
}

std::vector<LayerShare> chosen(std::vector<LayerShare> layers,
                               const std::vector<std::string>& names) {
  if (names.empty()) return layers;
  for (const std::string& name : names) {
    const bool known = std::any_of(layers.begin(), layers.end(),
                                   [&](const LayerShare& layer) { return layer.layer == name; });
    if (!known) throw InspectionError("the model has no attention layer " + name);
  }
  std::erase_if(layers, [&](const LayerShare& layer) {
    return std::find(names.begin(), names.end(), layer.layer) == names.end();
  });
  return layers;
}

}  // namespace

std::shared_ptr<const ModelShare> measureShare(const Model& model, const InputTensor& input,
                                               const ShareRequest& request,
                                               const Progress& progress) {
  const c10::InferenceMode inference;
  progress.report(0, "Measuring every head");
  auto share = std::make_shared<ModelShare>();
  ShareRecorder recorder(progress);
  share->logits = runNetwork(model, input, &recorder);
  share->hasNorms = !model.summary().isLive;
  share->layers = chosen(share->hasNorms ? recorder.take() : layersWithoutNorms(model.summary()),
                         request.layers);
  if (request.knockouts && !share->logits.empty()) {
    KnockoutSeries(model, input, *share, progress).run();
  }
  return share;
}

}  // namespace softscope
