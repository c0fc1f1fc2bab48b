#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <QtCore/QString>
#include <QtGui/QColor>

#include <optional>
#include <vector>

namespace softscope {

/// `Attention distance (px)`
QString measureLabel(const SurveyIndex::Measure& measure);
/// Along an axis, where long units have no room.
QString measureAxisLabel(const SurveyIndex::Measure& measure);
QString surveyModelName(const SurveyAnswer& answer, int model);
/// Empty where classes are taken together.
QString surveyClassName(const SurveyAnswer& answer, const std::optional<int>& ofClass);
/// `soft_tiny · block1.0.attn · head 3, cat`
QString surveySeriesName(const SurveyAnswer& answer, const SurveySeries& series);

/// What stands side by side in a slot, and the colour of each: classes if they stand apart, else
/// models.
class SurveyPalette {
 public:
  explicit SurveyPalette(const SurveyAnswer& answer);

  bool byClass() const { return byClass_; }
  const std::vector<int>& models() const { return models_; }
  const std::vector<std::optional<int>>& classes() const { return classes_; }
  int classPlace(const std::optional<int>& ofClass) const;
  int modelPlace(int model) const;
  QColor color(const SurveySeries& series) const;
  /// What the legend calls it.
  QString group(const SurveySeries& series) const;
  /// All groups in the order they stand in.
  std::vector<QString> groups() const;

 private:
  const SurveyAnswer& answer_;
  std::vector<int> models_;
  std::vector<std::optional<int>> classes_;
  bool byClass_;
  std::vector<QColor> colors_;
};

}  // namespace softscope
