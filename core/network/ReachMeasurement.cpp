#include "core/network/ReachMeasurement.h"

#include "core/Error.h"
#include "core/network/MemoryReserve.h"
#include "core/network/Network.h"
#include "core/network/ReachPass.h"
#include "core/network/TorchErrors.h"

#include <c10/core/InferenceMode.h>
#include <torch/types.h>

#include <string>

namespace softscope {

std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress) {
  const std::string obstacle = model.summary().obstacleTo("gradient of a token");
  if (!obstacle.empty()) throw InspectionError(obstacle);
  keepMemoryReserve();
  const c10::InferenceMode inference(false);
  Network& network = model.network();
  network.checkInputSize(input.height, input.width);
  const std::string size = std::to_string(input.height) + " x " + std::to_string(input.width);
  return withReadableErrors("the gradients at " + size, [&] {
    const torch::Tensor picture =
        torch::from_blob(const_cast<float*>(input.values.data()),
                         {1, input.channels, input.height, input.width}, torch::kFloat32)
            .to(network.device());
    return reachOf(network, picture, request, progress);
  });
}

}  // namespace softscope
