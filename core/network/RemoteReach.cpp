#include "core/network/RemoteReach.h"

#include "core/network/Network.h"

namespace softscope {

std::optional<std::vector<Reach>> remoteReach(const Model& model, const InputTensor& input,
                                              const ReachRequest& request,
                                              const Progress& progress) {
  auto* network = dynamic_cast<RemoteReachNetwork*>(&model.network());
  if (!network) return std::nullopt;
  const torch::Tensor picture =
      torch::from_blob(const_cast<float*>(input.values.data()),
                       {1, input.channels, input.height, input.width}, torch::kFloat32);
  return network->reach(picture, request, progress);
}

}  // namespace softscope
