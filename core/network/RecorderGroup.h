#pragma once

#include "core/network/Recorder.h"

#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// Forwards one forward pass to several recorders, each of which receives what it would receive
/// alone.
class RecorderGroup final : public Recorder, public TermObserver {
 public:
  /// The recorders must outlive the group.
  explicit RecorderGroup(std::vector<Recorder*> recorders) : recorders_(std::move(recorders)) {}

  void record(AttentionRecord record) override;
  void throwIfCancelled() const override;
  bool wantsPrecision() const override;
  void recordTokens(const TokenRecord& record) override;
  void recordFeatures(const torch::Tensor& features) override;
  void recordSeen(const PictureRegion& part) override;
  TermObserver* terms() override;

  std::vector<int> silencedHeads(const std::string& layer) const override;
  torch::Tensor passOn(const std::string& layer, const torch::Tensor& attended) override;
  void recordTerms(TermRecord record) override;
  void recordAddition(AdditionRecord record) override;

 private:
  std::vector<Recorder*> recorders_;
};

}  // namespace softscope
