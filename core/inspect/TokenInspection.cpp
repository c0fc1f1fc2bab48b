#include "core/inspect/TokenInspection.h"

#include "core/Error.h"
#include "core/inspect/TokenRecorder.h"
#include "core/model/Network.h"
#include "core/model/NetworkRun.h"

namespace softscope {

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
