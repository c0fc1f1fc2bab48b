#include "core/inspect/Inspector.h"

#include "core/inspect/MapBuilder.h"
#include "core/model/Network.h"
#include "core/model/NetworkRun.h"
#include "core/model/Recorder.h"

#include <chrono>

namespace softscope {

namespace {

/// Keeps each layer's attention as it is computed, and reports how many layers are done.
class InspectionRecorder final : public Recorder {
 public:
  InspectionRecorder(std::size_t layers, const InspectionOptions& options, const Progress& progress)
      : expected_(layers), options_(options), progress_(progress) {}

  void record(AttentionRecord record) override {
    layers_.push_back(buildLayerInspection(record));
    progress_.report(static_cast<double>(layers_.size()) / static_cast<double>(expected_ + 1),
                     "Layer " + record.layer);
  }

  void recordFeatures(const torch::Tensor& features) override { features_ = matrixOf(features); }

  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  bool wantsPrecision() const override { return options_.precise; }

  std::vector<LayerInspection> take() { return std::move(layers_); }
  Matrix takeFeatures() { return std::move(features_); }

 private:
  std::size_t expected_;
  InspectionOptions options_;
  const Progress& progress_;
  std::vector<LayerInspection> layers_;
  Matrix features_;
};

}  // namespace

std::shared_ptr<const Inspection> inspect(const Model& model, const InputTensor& input,
                                          const Progress& progress,
                                          const InspectionOptions& options) {
  model.network().checkInputSize(input.height, input.width);
  progress.report(0, "Preparing the forward pass");

  const auto begin = std::chrono::steady_clock::now();
  InspectionRecorder recorder(model.summary().layers.size(), options, progress);
  auto inspection = std::make_shared<Inspection>();
  inspection->logits = runNetwork(model, input, &recorder);
  inspection->layers = recorder.take();
  inspection->features = recorder.takeFeatures();
  inspection->inputHeight = input.height;
  inspection->inputWidth = input.width;
  inspection->device = model.network().device().str();
  inspection->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return inspection;
}

}  // namespace softscope
