#include "core/network/RecorderGroup.h"

#include <algorithm>

namespace softscope {

void RecorderGroup::record(AttentionRecord record) {
  for (Recorder* recorder : recorders_) recorder->record(record);
}

void RecorderGroup::throwIfCancelled() const {
  for (const Recorder* recorder : recorders_) recorder->throwIfCancelled();
}

bool RecorderGroup::wantsPrecision() const {
  return std::ranges::any_of(recorders_, &Recorder::wantsPrecision);
}

void RecorderGroup::recordTokens(const TokenRecord& record) {
  for (Recorder* recorder : recorders_) recorder->recordTokens(record);
}

void RecorderGroup::recordFeatures(const torch::Tensor& features) {
  for (Recorder* recorder : recorders_) recorder->recordFeatures(features);
}

void RecorderGroup::recordSeen(const PictureRegion& part) {
  for (Recorder* recorder : recorders_) recorder->recordSeen(part);
}

TermObserver* RecorderGroup::terms() {
  const bool anyLooks =
      std::ranges::any_of(recorders_, [](Recorder* recorder) { return recorder->terms(); });
  return anyLooks ? this : nullptr;
}

std::vector<int> RecorderGroup::silencedHeads(const std::string& layer) const {
  std::vector<int> silenced;
  for (Recorder* recorder : recorders_) {
    const TermObserver* observer = recorder->terms();
    if (!observer) continue;
    const std::vector<int> heads = observer->silencedHeads(layer);
    silenced.insert(silenced.end(), heads.begin(), heads.end());
  }
  return silenced;
}

torch::Tensor RecorderGroup::passOn(const std::string& layer, const torch::Tensor& attended) {
  torch::Tensor passed = attended;
  for (Recorder* recorder : recorders_) {
    if (TermObserver* observer = recorder->terms()) passed = observer->passOn(layer, passed);
  }
  return passed;
}

void RecorderGroup::recordTerms(TermRecord record) {
  for (Recorder* recorder : recorders_) {
    if (TermObserver* observer = recorder->terms()) observer->recordTerms(record);
  }
}

void RecorderGroup::recordAddition(AdditionRecord record) {
  for (Recorder* recorder : recorders_) {
    if (TermObserver* observer = recorder->terms()) observer->recordAddition(record);
  }
}

}  // namespace softscope
