#include "core/network/RemoteNetwork.h"

#include "core/network/Network.h"

namespace softscope {

std::optional<std::vector<Reach>> remoteReach(const Model& model, const InputTensor& input,
                                              const ReachRequest& request,
                                              const Progress& progress) {
  auto* network = dynamic_cast<RemoteReachNetwork*>(&model.network());
  if (!network) return std::nullopt;
  return network->reach(input, request, progress);
}

}  // namespace softscope
