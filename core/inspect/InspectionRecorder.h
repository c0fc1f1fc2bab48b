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
  /// `layers` are expected. The progress outlives it.
  InspectionRecorder(std::size_t layers, const InspectionOptions& options, const Progress& progress)
      : expected_(layers), options_(options), progress_(progress) {}

  void record(AttentionRecord record) override;
  void recordFeatures(const torch::Tensor& features) override;
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  bool wantsPrecision() const override { return options_.precise; }

  /// What was recorded, with the logits that the network answered.
  Inspection take(std::vector<float> logits);

 private:
  std::size_t expected_;
  InspectionOptions options_;
  const Progress& progress_;
  Inspection inspection_;
};

}  // namespace softscope
