#include "core/network/TokenInspector.h"

#include "core/Error.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/MapBuilder.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/text/Words.h"

namespace softscope {

void TokenRecorder::record(AttentionRecord record) {
  prefixNames_ = std::move(record.description.prefixNames);
  progress_.throwIfCancelled();
}

void TokenRecorder::recordTokens(const TokenRecord& record) {
  LayerTokens layer{record.layer, record.grid, matrixOf(record.tokens), {}};
  layer.norms = layer.tokens.rowwise().norm();
  if (static_cast<int>(prefixNames_.size()) == layer.prefix()) layer.prefixNames = prefixNames_;
  layers_.push_back(std::move(layer));
  progress_.report(static_cast<double>(layers_.size()) / static_cast<double>(expected_ + 1),
                   "Tokens of " + shortLayerName(record.layer));
}

namespace {

/// Copies what a network reads its result through to host memory.
std::optional<FeatureSpace> featureSpaceOf(const Network& network) {
  const auto* reader = dynamic_cast<const FeatureSpaceNetwork*>(&network);
  const std::optional<FeatureTensors> tensors = reader ? reader->featureTensors() : std::nullopt;
  if (!tensors) return std::nullopt;
  const auto vectorOf = [](const torch::Tensor& tensor) {
    return Vector(matrixOf(tensor.unsqueeze(0)).row(0));
  };
  FeatureSpace space{vectorOf(tensors->weight), vectorOf(tensors->bias), tensors->epsilon, {}};
  if (tensors->projection.defined()) space.projection = matrixOf(tensors->projection);
  return space;
}

}  // namespace

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
  inspection->features = featureSpaceOf(model.network());
  return inspection;
}

}  // namespace softscope
