#include "core/network/GradientRun.h"

#include "core/Error.h"
#include "core/network/MemoryReserve.h"
#include "core/network/Network.h"
#include "core/tensor/TorchErrors.h"

#include <c10/core/InferenceMode.h>

#include <string>

namespace softscope {

void runForGradients(const Model& model, const InputTensor& input, const char* what,
                     const std::function<void(Network&, const torch::Tensor& picture)>& run) {
  const std::string obstacle = model.summary().obstacleTo(what);
  if (!obstacle.empty()) throw InspectionError(obstacle);
  keepMemoryReserve();
  const c10::InferenceMode inference(false);
  Network& network = model.network();
  network.checkInputSize(input.height, input.width);
  const std::string size = std::to_string(input.height) + " x " + std::to_string(input.width);
  withReadableErrors("the gradients at " + size, [&] {
    const torch::Tensor picture =
        torch::from_blob(const_cast<float*>(input.values.data()),
                         {1, input.channels, input.height, input.width}, torch::kFloat32);
    run(network, picture.to(network.device()));
  });
}

}  // namespace softscope
