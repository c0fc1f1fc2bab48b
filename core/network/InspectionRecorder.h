#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/network/Recorder.h"

#include <cstddef>
#include <vector>

namespace softscope {

/// Keeps each layer's attention as it is computed, and reports how many layers are done.
class InspectionRecorder final : public Recorder {
 public:
  /// Expects `layers` layers of a network on `device`. The progress must outlive the recorder.
  InspectionRecorder(std::size_t layers, torch::Device device, const InspectionOptions& options,
                     const Progress& progress)
      : expected_(layers), device_(device), options_(options), progress_(progress) {}

  void record(AttentionRecord record) override;
  void recordFeatures(const torch::Tensor& features) override;
  void recordSeen(const PictureRegion& part) override { inspection_.seen = part; }
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  bool wantsPrecision() const override { return options_.precise; }

  /// Returns the recorded inspection with the network's logits.
  Inspection take(std::vector<float> logits);

 private:
  std::size_t expected_;
  torch::Device device_;
  InspectionOptions options_;
  const Progress& progress_;
  Inspection inspection_;
  /// Layers on their way from a GPU, of which none waits for the last one's copy.
  std::vector<AttentionRecord> copied_;
};

}  // namespace softscope
