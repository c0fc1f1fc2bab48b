#pragma once

#include "core/network/Recorder.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace softscope::test {

/// Keeps the terms of each layer and what its output is added to, and may silence heads of one.
class KeptTerms final : public Recorder, public TermObserver {
 public:
  explicit KeptTerms(std::string silencedLayer = {}, std::vector<int> heads = {})
      : silencedLayer_(std::move(silencedLayer)), heads_(std::move(heads)) {}

  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string& layer) const override {
    return layer == silencedLayer_ ? heads_ : std::vector<int>{};
  }
  void record(AttentionRecord) override {}
  void recordTerms(TermRecord record) override { all.insert_or_assign(record.layer, record); }
  void recordAddition(AdditionRecord record) override {
    additions.insert_or_assign(record.layer, record);
  }

  /// Both by the layer's name.
  std::map<std::string, TermRecord> all;
  std::map<std::string, AdditionRecord> additions;

 private:
  std::string silencedLayer_;
  std::vector<int> heads_;
};

}  // namespace softscope::test
