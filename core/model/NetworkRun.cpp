#include "core/model/NetworkRun.h"

#include "core/model/Network.h"
#include "core/model/TorchErrors.h"

#include <torch/types.h>

#include <string>

namespace softscope {

namespace {

torch::Tensor asTensor(const InputTensor& input) {
  // A recording is asked for what it holds, and fed nothing.
  if (input.values.empty()) return torch::empty({1, 3, 0, 0});
  return torch::from_blob(const_cast<float*>(input.values.data()),
                          {1, 3, input.height, input.width}, torch::kFloat32);
}

}  // namespace

std::vector<float> runNetwork(const Model& model, const InputTensor& input, Recorder* recorder) {
  const c10::InferenceMode inference;
  Network& network = model.network();
  network.checkInputSize(input.height, input.width);
  const std::string size = std::to_string(input.height) + " x " + std::to_string(input.width);
  const torch::Tensor logits = withReadableErrors("the forward pass at " + size, [&] {
    return network.forward(asTensor(input).to(network.device()), recorder);
  });
  if (!logits.defined()) return {};
  const torch::Tensor host = logits.to(torch::kCPU, torch::kFloat32).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

}  // namespace softscope
