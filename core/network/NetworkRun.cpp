#include "core/network/NetworkRun.h"

#include "core/Error.h"
#include "core/network/Device.h"
#include "core/network/Network.h"
#include "core/tensor/TorchErrors.h"

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace softscope {

namespace {

torch::Tensor asTensor(const InputTensor& input) {
  // A recording is asked for its content and needs no input.
  if (input.values.empty()) return torch::empty({1, 3, 0, 0});
  return torch::from_blob(const_cast<float*>(input.values.data()),
                          {1, input.channels, input.height, input.width}, torch::kFloat32);
}

/// Returns the logits that `forward` computes for the network's picture.
template <typename Forward>
std::vector<float> logitsOf(Network& network, const InputTensor& input, Forward forward) {
  keepMemoryReserve();
  const c10::InferenceMode inference;
  network.checkInputSize(input.height, input.width);
  const std::string size = std::to_string(input.height) + " x " + std::to_string(input.width);
  // A GPU reports errors only when its result is fetched.
  const torch::Tensor host = withReadableErrors("the forward pass at " + size, [&] {
    const torch::Tensor logits = forward(asTensor(input).to(network.device()));
    return logits.defined() ? logits.to(torch::kCPU, torch::kFloat32).contiguous() : logits;
  });
  if (!host.defined()) return {};
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

}  // namespace

std::vector<float> runNetwork(const Model& model, const InputTensor& input, Recorder* recorder) {
  Network& network = model.network();
  return logitsOf(network, input,
                  [&](const torch::Tensor& picture) { return network.forward(picture, recorder); });
}

std::vector<float> runNetworkOnTokens(const Model& model, const InputTensor& input,
                                      const std::vector<int>& kept) {
  auto* network = dynamic_cast<TokenSubsetNetwork*>(&model.network());
  if (!network) {
    throw InspectionError(
        "this network needs every patch in its place, for convolutions, averages or landmarks over "
        "the whole grid; tokens can be left out of plain vision transformers (ViT, DeiT, DINOv2) "
        "that answer from their class token; choose another removal");
  }
  const std::vector<std::int64_t> indices(kept.begin(), kept.end());
  return logitsOf(model.network(), input, [&](const torch::Tensor& picture) {
    return network->forwardTokens(picture, torch::tensor(indices, torch::kInt64));
  });
}

}  // namespace softscope
