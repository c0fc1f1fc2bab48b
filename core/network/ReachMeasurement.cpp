#include "core/network/GradientRun.h"
#include "core/network/Measurements.h"
#include "core/network/ReachPass.h"
#include "core/network/RemoteNetwork.h"

namespace softscope {

std::vector<Reach> measureReach(const Model& model, const InputTensor& input,
                                const ReachRequest& request, const Progress& progress) {
  if (auto remote = remoteReach(model, input, request, progress)) return *std::move(remote);
  std::vector<Reach> reaches;
  runForGradients(model, input, "gradient of a token",
                  [&](Network& network, const torch::Tensor& picture) {
                    reaches = reachOf(network, picture, request, progress);
                  });
  return reaches;
}

}  // namespace softscope
