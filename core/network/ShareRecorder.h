#pragma once

#include "core/Progress.h"
#include "core/analysis/Share.h"
#include "core/network/Recorder.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Measures the terms of every head. Norms are computed on the tensors' device, so that no tensor
/// is kept.
class ShareRecorder final : public Recorder, public TermObserver {
 public:
  /// `progress` must outlive the recorder.
  explicit ShareRecorder(const Progress& progress) : progress_(progress) {}

  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void record(AttentionRecord record) override;
  void throwIfCancelled() const override { progress_.throwIfCancelled(); }
  void recordTerms(TermRecord record) override;
  void recordAddition(AdditionRecord record) override;

  std::vector<LayerShare> take() { return std::exchange(layers_, {}); }

 private:
  const Progress& progress_;
  std::string mechanism_;
  std::vector<LayerShare> layers_;
  /// The terms of the running layer, kept until its addition is recorded.
  TermRecord terms_;
};

}  // namespace softscope
