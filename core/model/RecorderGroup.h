#pragma once

#include "core/model/Recorder.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Several recorders of one forward pass, each told what it would be told alone.
class RecorderGroup final : public Recorder, public TermObserver {
 public:
  /// They outlive it.
  explicit RecorderGroup(std::vector<Recorder*> recorders) : recorders_(std::move(recorders)) {}

  void record(AttentionRecord record) override;
  void throwIfCancelled() const override;
  bool wantsPrecision() const override;
  void recordTokens(const TokenRecord& record) override;
  void recordFeatures(const torch::Tensor& features) override;
  TermObserver* terms() override;

  std::vector<int> silencedHeads(const std::string& layer) const override;
  void recordTerms(TermRecord record) override;
  void recordAddition(AdditionRecord record) override;

 private:
  std::vector<Recorder*> recorders_;
};

}  // namespace softscope
