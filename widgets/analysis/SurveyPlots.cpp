#include "widgets/analysis/SurveyPlots.h"

#include "widgets/plot/Plot.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <map>
#include <set>

namespace softscope {

namespace {

QString titleOfMeasure(const SurveyIndex::Measure& measure) {
  return QString::fromStdString(measure.title.empty() ? measure.name : measure.title);
}

}  // namespace

QString measureLabel(const SurveyIndex::Measure& measure) {
  const QString title = titleOfMeasure(measure);
  return measure.unit.empty()
             ? title
             : QStringLiteral("%1 (%2)").arg(title, QString::fromStdString(measure.unit));
}

QString measureAxisLabel(const SurveyIndex::Measure& measure) {
  constexpr qsizetype longestAxisLabel = 30;
  const QString label = measureLabel(measure);
  if (label.size() <= longestAxisLabel) return label;
  QString title = titleOfMeasure(measure);
  if (title.size() <= longestAxisLabel) return title;
  const qsizetype middle = title.size() / 2;
  const qsizetype before = title.lastIndexOf(u' ', middle);
  const qsizetype after = title.indexOf(u' ', middle);
  const bool isBeforeNearer = after < 0 || (before > 0 && middle - before <= after - middle);
  const qsizetype at = isBeforeNearer ? before : after;
  if (at > 0) title[at] = u'\n';
  return title;
}

QString measuresApart(const SurveyAnswer& answer) {
  return titleOfMeasure(answer.firstMeasure()) + QStringLiteral(" − ") +
         titleOfMeasure(answer.secondMeasure());
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

namespace {

/// If there are more heads than this, only the first of each layer is named.
constexpr int mostNamedHeads = 48;

/// Returns `block1.0` for `block1.0.att.mha.attn`: the name up to its last part that ends in a
/// number, or the whole name if there is none.
QString blockName(const std::string& layer) {
  const QStringList parts = QString::fromStdString(layer).split(u'.');
  for (qsizetype count = parts.size(); count > 0; --count) {
    const QString& last = parts[count - 1];
    if (!last.isEmpty() && last.back().isDigit()) return parts.first(count).join(u'.');
  }
  return QString::fromStdString(layer);
}

}  // namespace

SurveySlots::SurveySlots(const SurveyIndex& index, const std::vector<const SurveySeries*>& series) {
  for (const SurveySeries* each : series) {
    std::pair place(index.layerName(each->unit), index.headNumber(each->unit));
    // Values of one unit follow each other, but those of other models come much later.
    if (!places_.empty() && places_.back() == place) continue;
    if (std::find(places_.begin(), places_.end(), place) == places_.end()) {
      places_.push_back(std::move(place));
    }
  }
}

int SurveySlots::of(const SurveyIndex& index, const SurveyIndex::Unit& unit) const {
  const std::pair place(index.layerName(unit), index.headNumber(unit));
  return static_cast<int>(std::find(places_.begin(), places_.end(), place) - places_.begin());
}

std::vector<QString> SurveySlots::names() const {
  std::vector<QString> names;
  std::map<QString, std::set<std::string>> layersOfName;
  for (const auto& [layer, head] : places_) layersOfName[blockName(layer)].insert(layer);
  const std::string* last = nullptr;
  for (const auto& [layer, head] : places_) {
    const bool begins = !last || *last != layer;
    last = &layer;
    const QString number = head < 0 ? QString() : QString::number(head);
    if (begins) {
      // If a block has several layers, their full names are needed.
      const QString block = blockName(layer);
      const bool isUnique = layersOfName[block].size() == 1;
      names.push_back(
          ((isUnique ? block : QString::fromStdString(layer)) + u' ' + number).trimmed());
    } else {
      names.push_back(count() > mostNamedHeads ? QString() : number);
    }
  }
  return names;
}

}  // namespace softscope
