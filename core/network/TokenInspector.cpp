#include "core/Error.h"
#include "core/inspect/TokenInspection.h"
#include "core/network/Network.h"
#include "core/network/NetworkRun.h"
#include "core/network/TokenRecorder.h"

namespace softscope {

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
