#include "core/inspect/Inspector.h"

#include "core/inspect/MapBuilder.h"
#include "core/inspect/Network.h"
#include "core/inspect/TorchErrors.h"

#include <torch/types.h>

#include <chrono>
#include <string>

namespace softscope {

namespace {

/// Keeps each layer's attention as it is computed, and reports how many layers are done.
class InspectionRecorder final : public Recorder {
 public:
  InspectionRecorder(std::size_t layers, const Progress& progress)
      : expected_(layers), progress_(progress) {}

  void record(AttentionRecord record) override {
    layers_.push_back(buildLayerInspection(record));
    progress_.report(static_cast<double>(layers_.size()) / static_cast<double>(expected_ + 1),
                     "Layer " + record.layer);
  }

  std::vector<LayerInspection> take() { return std::move(layers_); }

 private:
  std::size_t expected_;
  const Progress& progress_;
  std::vector<LayerInspection> layers_;
};

torch::Tensor asTensor(const InputTensor& input) {
  return torch::from_blob(const_cast<float*>(input.values.data()),
                          {1, 3, input.height, input.width}, torch::kFloat32);
}

}  // namespace

std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress) {
  const c10::InferenceMode inference;
  model.network().checkInputSize(input.height, input.width);
  progress.report(0, "Preparing the forward pass");

  const auto begin = std::chrono::steady_clock::now();
  const torch::Device device = model.network().device();
  InspectionRecorder recorder(model.summary().layers.size(), progress);
  const std::string size = std::to_string(input.height) + " x " + std::to_string(input.width);
  const torch::Tensor logits = withReadableErrors("the forward pass at " + size, [&] {
    return model.network().forward(asTensor(input).to(device), &recorder);
  });

  auto inspection = std::make_shared<Inspection>();
  if (logits.defined()) {
    const torch::Tensor host = logits.to(torch::kCPU, torch::kFloat32).contiguous();
    inspection->logits.assign(host.data_ptr<float>(), host.data_ptr<float>() + host.numel());
  }
  inspection->layers = recorder.take();
  inspection->inputHeight = input.height;
  inspection->inputWidth = input.width;
  inspection->device = device.str();
  inspection->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return inspection;
}

}  // namespace softscope
