#pragma once

#include "core/survey/reading/SurveyAnswer.h"

#include <QtCore/QString>
#include <QtGui/QColor>

#include <optional>
#include <vector>

namespace softscope {

/// Returns a measure with its unit: `Attention distance (px)`
QString measureLabel(const SurveyIndex::Measure& measure);
/// Returns a label for an axis, where there is no space for long units; a long title is broken into
/// two lines.
QString measureAxisLabel(const SurveyIndex::Measure& measure);
QString surveyModelName(const SurveyAnswer& answer, int model);
/// Returns the class's name; empty if classes are taken together.
QString surveyClassName(const SurveyAnswer& answer, const std::optional<int>& ofClass);
/// Returns the full name of a series: `soft_tiny · block1.0.attn · head 3, cat`
QString surveySeriesName(const SurveyAnswer& answer, const SurveySeries& series);

/// Determines what stands side by side in a slot and in which colours: classes if these are shown
/// separately, otherwise models.
class SurveyPalette {
 public:
  explicit SurveyPalette(const SurveyAnswer& answer);

  bool byClass() const { return byClass_; }
  const std::vector<int>& models() const { return models_; }
  const std::vector<std::optional<int>>& classes() const { return classes_; }
  int classPlace(const std::optional<int>& ofClass) const;
  int modelPlace(int model) const;
  QColor color(const SurveySeries& series) const;
  /// Returns the legend entry of a series.
  QString group(const SurveySeries& series) const;
  /// Returns all legend entries, in the order of their places.
  std::vector<QString> groups() const;

 private:
  const SurveyAnswer& answer_;
  std::vector<int> models_;
  std::vector<std::optional<int>> classes_;
  bool byClass_;
  std::vector<QColor> colors_;
};

}  // namespace softscope
