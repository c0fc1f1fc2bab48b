#include "widgets/analysis/SurveySlots.h"

#include <QtCore/QStringList>

#include <algorithm>

namespace softscope {
namespace {

/// More heads than this go unnamed but for the first of a layer.
constexpr int mostNamedHeads = 48;
constexpr qsizetype longestLayerName = 16;

/// Of names such as `block1.0.attn` and `block2.0.attn`, how many of the last parts all have.
qsizetype commonEnding(const std::vector<QStringList>& names) {
  qsizetype common = names.empty() ? 0 : names.front().size() - 1;
  for (const QStringList& name : names) {
    common = std::min(common, name.size() - 1);
    for (qsizetype i = 0; i < common; ++i) {
      if (name[name.size() - 1 - i] != names.front()[names.front().size() - 1 - i]) common = i;
    }
  }
  return common;
}

/// Without what all end in, so that the plots have room.
QString shortLayerName(const std::string& name, qsizetype ending) {
  const QStringList parts = QString::fromStdString(name).split(u'.');
  const QString text = parts.first(parts.size() - ending).join(u'.');
  if (text.size() <= longestLayerName) return text;
  return text.left(longestLayerName / 2) + u'…' + text.right(longestLayerName / 2 - 1);
}

}  // namespace

SurveySlots::SurveySlots(const SurveyIndex& index, const std::vector<const SurveySeries*>& series) {
  for (const SurveySeries* each : series) {
    std::pair place(index.layerName(each->unit), index.headNumber(each->unit));
    // Series of one unit follow each other; other models' come much later.
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
  std::vector<QStringList> layers;
  for (const auto& [layer, head] : places_) {
    layers.push_back(QString::fromStdString(layer).split(u'.'));
  }
  const bool isOne = std::all_of(places_.begin(), places_.end(), [&](const auto& place) {
    return place.first == places_.front().first;
  });
  const qsizetype ending = isOne ? 0 : commonEnding(layers);
  const std::string* last = nullptr;
  for (const auto& [layer, head] : places_) {
    const bool begins = !last || *last != layer;
    last = &layer;
    const QString number = head < 0 ? QString() : QString::number(head);
    if (begins) {
      names.push_back((shortLayerName(layer, ending) + u' ' + number).trimmed());
    } else {
      names.push_back(count() > mostNamedHeads ? QString() : number);
    }
  }
  return names;
}

}  // namespace softscope
