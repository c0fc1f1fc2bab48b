#include "core/Error.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/FeatureSpaceNetwork.h"
#include "core/network/MapBuilder.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/network/TokenRecorder.h"

namespace softscope {

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
