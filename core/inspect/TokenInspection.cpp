#include "core/inspect/TokenInspection.h"

#include "core/Error.h"
#include "core/inspect/MapBuilder.h"
#include "core/model/Network.h"
#include "core/model/NetworkRun.h"
#include "core/model/Recorder.h"

#include <utility>

namespace softscope {

namespace {

/// Keeps the tokens behind each block, and nothing of its attention.
class TokenRecorder final : public Recorder {
 public:
  TokenRecorder(std::size_t layers, const Progress& progress)
      : expected_(layers), progress_(progress) {}

  void record(AttentionRecord record) override {
    prefixNames_ = std::move(record.description.prefixNames);
    progress_.throwIfCancelled();
  }
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }

  void recordTokens(const TokenRecord& record) override {
    LayerTokens layer{record.layer, record.grid, matrixOf(record.tokens), {}};
    layer.norms = layer.tokens.rowwise().norm();
    if (static_cast<int>(prefixNames_.size()) == layer.prefix()) layer.prefixNames = prefixNames_;
    layers_.push_back(std::move(layer));
    progress_.report(static_cast<double>(layers_.size()) / static_cast<double>(expected_ + 1),
                     "Tokens of " + record.layer);
  }

  std::vector<LayerTokens> take() { return std::move(layers_); }

 private:
  std::size_t expected_;
  const Progress& progress_;
  std::vector<LayerTokens> layers_;
  /// Of the block whose tokens come next.
  std::vector<std::string> prefixNames_;
};

}  // namespace

std::size_t TokenInspection::indexOf(const std::string& layer) const {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].layer == layer) return i;
  }
  throw InspectionError(layer + ": the block of this layer has no tokens to look at");
}

std::shared_ptr<const TokenInspection> inspectTokens(const Model& model, const InputTensor& input,
                                                     const Progress& progress) {
  model.network().checkInputSize(input.height, input.width);
  progress.report(0, "Preparing the forward pass");
  TokenRecorder recorder(model.summary().layers.size(), progress);
  runNetwork(model, input, &recorder);
  auto inspection = std::make_shared<TokenInspection>();
  inspection->layers = recorder.take();
  if (inspection->layers.empty()) {
    throw InspectionError(
        "there are no tokens to look at: they come from running a network, and a recording holds "
        "its attention alone");
  }
  return inspection;
}

}  // namespace softscope
