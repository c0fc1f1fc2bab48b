#include "core/analysis/LineScoreSurvey.h"

#include "core/analysis/LineScore.h"

#include <cmath>

namespace softscope {

void LineScoreSurvey::add(const std::vector<LayerInspection>& layers, const Progress& progress) {
  std::size_t at = 0;
  for (const LayerInspection& layer : layers) {
    for (int head = 0; head < layer.attention->description().heads; ++head, ++at) {
      if (at == sums_.size()) sums_.push_back({.layer = layer.name, .head = head});
      const std::optional<double> score = lineScore(*layer.attention, head, progress);
      if (!score || !std::isfinite(*score)) continue;
      // Welford's update, which keeps its digits over many pictures.
      Sum& sum = sums_[at];
      const double before = *score - sum.mean;
      sum.mean += before / static_cast<double>(++sum.pictures);
      sum.squares += before * (*score - sum.mean);
    }
  }
}

std::vector<SurveyedHead> LineScoreSurvey::heads() const {
  std::vector<SurveyedHead> heads;
  for (const Sum& sum : sums_) {
    SurveyedHead head{.layer = sum.layer, .head = sum.head, .pictures = sum.pictures};
    const auto others = static_cast<double>(sum.pictures - 1);
    if (sum.pictures > 0) head.mean = sum.mean;
    if (sum.pictures > 1) head.deviation = std::sqrt(sum.squares / others);
    heads.push_back(head);
  }
  return heads;
}

}  // namespace softscope
