#include "widgets/plot/Plot.h"

#include "core/image/ColorMap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace softscope {
namespace {

void addEntry(std::vector<LegendEntry>& entries, const LegendEntry& added) {
  if (added.name.isEmpty()) return;
  const auto known = std::ranges::find(entries, added.name, &LegendEntry::name);
  if (known == entries.end()) {
    entries.push_back(added);
  } else if (known->color != added.color) {
    known->color = QColor();
  }
}

LegendEntry entryOf(const PlotCurve& curve) {
  return {curve.group, curve.color, curve.line, curve.points, curve.marker};
}

void addBoxes(std::vector<LegendEntry>& entries, const Plot& plot) {
  for (const PlotBox& box : plot.boxes) {
    addEntry(entries, {box.group, box.color, PlotCurve::Line::Bars});
  }
}

}  // namespace

bool PlotCurve::operator==(const PlotCurve& other) const {
  const auto look = [](const PlotCurve& curve) {
    return std::tie(curve.name, curve.group, curve.label, curve.kin.name, curve.color, curve.line,
                    curve.points, curve.marker, curve.barWidth);
  };
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return look(*this) == look(other) && std::ranges::equal(x, other.x, same) &&
         std::ranges::equal(y, other.y, same) && std::ranges::equal(reach, other.reach, same) &&
         places == other.places;
}

const PlotPlace* placeOf(const PlotCurve& curve, std::size_t index) {
  if (curve.places.empty()) return nullptr;
  const std::size_t place = curve.places.size() == 1 ? 0 : index;
  return place < curve.places.size() ? &curve.places[place] : nullptr;
}

std::vector<LegendEntry> legendOf(const std::vector<Plot>& plots) {
  std::vector<LegendEntry> entries;
  for (const Plot& plot : plots) {
    addBoxes(entries, plot);
    for (const PlotCurve& curve : plot.curves) addEntry(entries, entryOf(curve));
  }
  return entries;
}

std::vector<LegendEntry> legendBesideLabels(const std::vector<Plot>& plots) {
  std::vector<LegendEntry> entries;
  for (const Plot& plot : plots) {
    addBoxes(entries, plot);
    for (const PlotCurve& curve : plot.curves) {
      const bool isLabelled = std::ranges::any_of(plot.curves, [&](const PlotCurve& other) {
        return other.group == curve.group && !other.label.isEmpty();
      });
      if (!isLabelled) {
        addEntry(entries, entryOf(curve));
      } else {
        addEntry(entries, {curve.kin.name, curve.kin.color, curve.line});
      }
    }
  }
  return entries;
}

std::vector<QColor> curveColors(int count) {
  // Okabe and Ito's colours without black and yellow, which vanish on one of the backgrounds.
  static const std::array<QColor, 8> distinct = {
      QColor(0x0f7ac0), QColor(0xd55e00), QColor(0x009e73), QColor(0xcc79a7),
      QColor(0xe69f00), QColor(0x56b4e9), QColor(0xa0624a), QColor(0x8a8f99)};
  if (count <= static_cast<int>(distinct.size())) {
    return {distinct.begin(), distinct.begin() + std::max(0, count)};
  }
  const ColorMap& scale = colorMap("viridis");
  std::vector<QColor> colors;
  for (int i = 0; i < count; ++i) {
    // The ends of the scale are too dark for a dark background and too light for a white one.
    const double at = 0.12 + 0.76 * i / (count - 1);
    const auto& color = scale.colors[static_cast<std::size_t>(at * (scale.colors.size() - 1))];
    colors.emplace_back(color[0], color[1], color[2]);
  }
  return colors;
}

}  // namespace softscope
