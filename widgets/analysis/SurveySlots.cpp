#include "widgets/analysis/SurveySlots.h"

#include <QtCore/QStringList>

#include <algorithm>
#include <map>
#include <set>

namespace softscope {
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
