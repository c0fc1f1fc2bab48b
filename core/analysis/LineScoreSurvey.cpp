#include "core/analysis/LineScoreSurvey.h"

#include <cmath>

namespace softscope {

void LineScoreSurvey::Sum::add(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  // Welford's update, which keeps its digits over many pictures.
  const double before = *value - mean;
  mean += before / static_cast<double>(++pictures);
  squares += before * (*value - mean);
}

MeasureSpread LineScoreSurvey::Sum::spread() const {
  MeasureSpread spread{.pictures = pictures};
  if (pictures > 0) spread.mean = mean;
  if (pictures > 1) spread.deviation = std::sqrt(squares / static_cast<double>(pictures - 1));
  return spread;
}

void LineScoreSurvey::add(const std::vector<LayerInspection>& layers, const Progress& progress) {
  std::size_t at = 0;
  for (const LayerInspection& layer : layers) {
    for (int head = 0; head < layer.attention->description().heads; ++head, ++at) {
      if (at == heads_.size()) heads_.push_back({.layer = layer.name, .head = head});
      const LineMeasures measures = lineMeasures(layer, head, progress);
      for (std::size_t i = 0; i < lineMeasureNames.size(); ++i) {
        heads_[at].sums[i].add(measures.*lineMeasureNames[i].value);
      }
    }
  }
}

std::vector<SurveyedHead> LineScoreSurvey::heads() const {
  std::vector<SurveyedHead> surveyed;
  for (const Head& head : heads_) {
    SurveyedHead spreads{.layer = head.layer, .head = head.head};
    for (std::size_t i = 0; i < head.sums.size(); ++i) {
      spreads.measures[i] = head.sums[i].spread();
    }
    surveyed.push_back(spreads);
  }
  return surveyed;
}

}  // namespace softscope
