#include "widgets/analysis/SurveyPalette.h"

#include "widgets/plot/Plot.h"

#include <algorithm>

namespace softscope {

QString measureLabel(const SurveyIndex::Measure& measure) {
  const QString title =
      QString::fromStdString(measure.title.empty() ? measure.name : measure.title);
  return measure.unit.empty()
             ? title
             : QStringLiteral("%1 (%2)").arg(title, QString::fromStdString(measure.unit));
}

QString measureAxisLabel(const SurveyIndex::Measure& measure) {
  constexpr qsizetype longestAxisLabel = 30;
  const QString label = measureLabel(measure);
  if (label.size() <= longestAxisLabel) return label;
  QString title = QString::fromStdString(measure.title.empty() ? measure.name : measure.title);
  if (title.size() <= longestAxisLabel) return title;
  const qsizetype middle = title.size() / 2;
  const qsizetype before = title.lastIndexOf(u' ', middle);
  const qsizetype after = title.indexOf(u' ', middle);
  const bool isBeforeNearer = after < 0 || (before > 0 && middle - before <= after - middle);
  const qsizetype at = isBeforeNearer ? before : after;
  if (at > 0) title[at] = u'\n';
  return title;
}

QString surveyModelName(const SurveyAnswer& answer, int model) {
  return QString::fromStdString(answer.index->models[static_cast<std::size_t>(model)].name);
}

QString surveyClassName(const SurveyAnswer& answer, const std::optional<int>& ofClass) {
  if (!ofClass) return {};
  if (*ofClass < 0) return QStringLiteral("no class");
  return QString::fromStdString(answer.index->classes[static_cast<std::size_t>(*ofClass)]);
}

QString surveySeriesName(const SurveyAnswer& answer, const SurveySeries& series) {
  QString name = QString::fromStdString(unitText(*answer.index, series.unit));
  if (series.ofClass) name += QStringLiteral(", ") + surveyClassName(answer, series.ofClass);
  return name;
}

SurveyPalette::SurveyPalette(const SurveyAnswer& answer)
    : answer_(answer),
      models_(answer.models()),
      classes_(answer.classes()),
      byClass_(!classes_.empty() && classes_.front().has_value()),
      colors_(curveColors(static_cast<int>(byClass_ ? classes_.size() : models_.size()))) {}

int SurveyPalette::classPlace(const std::optional<int>& ofClass) const {
  return static_cast<int>(std::find(classes_.begin(), classes_.end(), ofClass) - classes_.begin());
}

int SurveyPalette::modelPlace(int model) const {
  return static_cast<int>(std::find(models_.begin(), models_.end(), model) - models_.begin());
}

QColor SurveyPalette::color(const SurveySeries& series) const {
  return colors_[static_cast<std::size_t>(byClass_ ? classPlace(series.ofClass)
                                                   : modelPlace(series.unit.model))];
}

QString SurveyPalette::group(const SurveySeries& series) const {
  return byClass_ ? surveyClassName(answer_, series.ofClass)
                  : surveyModelName(answer_, series.unit.model);
}

std::vector<QString> SurveyPalette::groups() const {
  std::vector<QString> groups;
  if (byClass_) {
    for (const auto& ofClass : classes_) groups.push_back(surveyClassName(answer_, ofClass));
  } else {
    for (const int model : models_) groups.push_back(surveyModelName(answer_, model));
  }
  return groups;
}

}  // namespace softscope
