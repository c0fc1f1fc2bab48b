#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"
#include "core/inspect/InspectionOptions.h"
#include "core/model/Recorder.h"

#include <cstddef>
#include <vector>

namespace softscope {

/// Keeps each layer's attention as it is computed, and reports how many layers are done.
class InspectionRecorder final : public Recorder {
 public:
  /// Expects `layers` layers. The progress must outlive the recorder.
  InspectionRecorder(std::size_t layers, const InspectionOptions& options, const Progress& progress)
      : expected_(layers), options_(options), progress_(progress) {}

  void record(AttentionRecord record) override;
  void recordFeatures(const torch::Tensor& features) override;
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  bool wantsPrecision() const override { return options_.precise; }

  /// Returns the recorded inspection with the network's logits.
  Inspection take(std::vector<float> logits);

 private:
  std::size_t expected_;
  InspectionOptions options_;
  const Progress& progress_;
  Inspection inspection_;
};

}  // namespace softscope
