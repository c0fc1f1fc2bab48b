#include "core/network/GradientRun.h"

#include "core/Error.h"
#include "core/inspect/Inspection.h"
#include "core/network/Device.h"
#include "core/network/Network.h"
#include "core/tensor/TorchErrors.h"

#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstddef>
#include <string>
#include <utility>

namespace softscope {

void GradientRecorder::Layer::requireAttended() const {
  if (attended.defined()) return;
  throw InspectionError(record.layer +
                        ": what its attention makes of V is not known, so nothing can be followed "
                        "through it");
}

void GradientRecorder::record(AttentionRecord record) {
  progress_.throwIfCancelled();
  layers_.push_back({std::move(record), {}});
}

void GradientRecorder::recordTokens(const TokenRecord& record) {
  blocks_.push_back({record.layer, record.grid, record.all});
}

torch::Tensor GradientRecorder::passOn(const std::string& layer, const torch::Tensor& attended) {
  for (Layer& of : layers_) {
    if (of.record.layer == layer) of.attended = attended;
  }
  return attended;
}

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

std::vector<torch::Tensor> gradientsOf(const torch::Tensor& scalar,
                                       const std::vector<torch::Tensor>& inputs) {
  torch::autograd::variable_list differentiated;
  for (const torch::Tensor& input : inputs) {
    if (input.defined() && input.requires_grad()) differentiated.push_back(input);
  }
  if (differentiated.empty()) return std::vector<torch::Tensor>(inputs.size());
  const auto found =
      torch::autograd::grad({scalar}, differentiated, {}, true, false, /*allow_unused=*/true);
  std::vector<torch::Tensor> gradients;
  std::size_t next = 0;
  for (const torch::Tensor& input : inputs) {
    const bool asked = input.defined() && input.requires_grad();
    gradients.push_back(asked ? found[next++] : torch::Tensor());
  }
  return gradients;
}

int checkedClass(int classIndex, int classes) {
  if (classIndex >= 0 && classIndex < classes) return classIndex;
  throw InspectionError("there is no class " + std::to_string(classIndex) + ": the network has " +
                        std::to_string(classes) + ", numbered from 0");
}

int askedClass(const torch::Tensor& logits, const std::optional<int>& classIndex) {
  const auto classes = static_cast<int>(logits.size(0));
  if (classIndex) return checkedClass(*classIndex, classes);
  const torch::Tensor host = logits.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const auto* values = host.data_ptr<float>();
  if (const auto predicted = predictedClass({values, values + classes})) return *predicted;
  throw InspectionError(
      "the network answers with NaN, so that no class is predicted; choose one with --class");
}

}  // namespace softscope
