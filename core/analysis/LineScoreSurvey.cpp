#include "core/analysis/LineScoreSurvey.h"

#include "core/analysis/LineScore.h"

#include <cmath>

namespace softscope {

namespace {

/// Welford's update, which keeps its digits over many pictures.
void addScore(SurveyedHead& sum, double score) {
  const double before = score - sum.mean;
  sum.mean += before / static_cast<double>(++sum.pictures);
  sum.deviation += before * (score - sum.mean);
}

}  // namespace

void LineScoreSurvey::add(const std::vector<LayerInspection>& layers, const Progress& progress) {
  std::size_t at = 0;
  for (const LayerInspection& layer : layers) {
    for (int head = 0; head < layer.attention->description().heads; ++head, ++at) {
      if (at == sums_.size()) sums_.push_back({.layer = layer.name, .head = head});
      const std::optional<double> score = lineScore(*layer.attention, head, progress);
      if (score) addScore(sums_[at], *score);
    }
  }
}

std::vector<SurveyedHead> LineScoreSurvey::heads() const {
  std::vector<SurveyedHead> heads = sums_;
  for (SurveyedHead& head : heads) {
    head.deviation =
        head.pictures < 2 ? 0 : std::sqrt(head.deviation / static_cast<double>(head.pictures - 1));
  }
  return heads;
}

}  // namespace softscope
