#include "core/analysis/AttentionSpread.h"
#include "core/image/ColorMap.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

constexpr const char* overviewColors = "viridis";

QString overviewTitle(OverviewMeasure of) {
  switch (of) {
    case OverviewMeasure::Distance:
      return QStringLiteral("Attention distance, pixels");
    case OverviewMeasure::Entropy:
      return QStringLiteral("Entropy / ln(keys)");
    case OverviewMeasure::Entries:
      break;
  }
  return QStringLiteral("Largest |entry|");
}

QString entriesMeaning(const std::vector<LayerOverview>& layers) {
  QString text = QStringLiteral("The largest entry of each head's matrix, in magnitude");
  std::optional<double> share;
  std::optional<double> least;
  std::optional<double> most;
  for (const LayerOverview& layer : layers) {
    const auto bound = entryBound(layer.of.attention());
    if (!bound) continue;
    least = std::min(least.value_or(*bound), *bound);
    most = std::max(most.value_or(*bound), *bound);
    for (const EntryRange& range : layer.entries) {
      share = std::max(share.value_or(0), range.largestMagnitude() / *bound);
    }
  }
  if (!share) return text;
  text += QStringLiteral("; SimA's are within ±D, the %1").arg(*least);
  if (*most != *least) text += QStringLiteral(" to %1").arg(*most);
  return text + QStringLiteral(" channels of a head (its Section 2.2), and here at most %1 of it")
                    .arg(valueText(*share));
}

/// Entries are shown on a logarithmic scale, since those of different mechanisms are powers of ten
/// apart.
bool showsPowers(const std::vector<LayerOverview>& layers) {
  return !layers.empty() && !layers.front().entries.empty();
}

std::optional<double> evenDistance(const LayerOverview& layer) {
  const PictureRegion covered = layer.of.inspection->covered();
  return uniformDistance(*layer.of.layer().attention, covered.height, covered.width);
}

/// Returns the entropy of uniform attention, which is smaller than that of the largest window where
/// a window is cut or masked.
QString uniformEntropy(bool seesAll) {
  return seesAll
             ? QStringLiteral("uniform attention has 1")
             : QStringLiteral("uniform attention has 1, or less where a window is cut or masked");
}

/// Returns the values that heads attending uniformly to all patches would have; empty if that does
/// not mean anything for the measure, or no query can see all of them.
std::optional<ValueRange> uniformValues(const std::vector<LayerOverview>& layers,
                                        OverviewMeasure of) {
  std::optional<ValueRange> range;
  if (of == OverviewMeasure::Entropy) include(range, 1);
  if (of != OverviewMeasure::Distance) return range;
  for (const LayerOverview& layer : layers) include(range, evenDistance(layer));
  return range;
}

/// Widens a range to contain what uniform attention has, and to at least a tenth of it, so that
/// heads that hardly differ from uniform ones are not drawn as if they differed much.
void anchorAtUniform(const ValueRange& uniform, ValueRange& range) {
  const bool isBelow = range.high <= uniform.high;
  range.low = std::min(range.low, uniform.low);
  range.high = std::max(range.high, uniform.high);
  const float lacking = uniform.high / 10 - (range.high - range.low);
  if (lacking <= 0) return;
  (isBelow ? range.low : range.high) += isBelow ? -lacking : lacking;
}

/// Returns the range of all numbers, or nothing if there are none.
std::optional<ValueRange> measuredRange(const std::vector<LayerOverview>& layers) {
  const bool positive = showsPowers(layers);
  std::optional<ValueRange> range;
  for (const LayerOverview& layer : layers) {
    for (const auto& value : layer.heads) {
      if (!positive || (value && *value > 0)) include(range, value);
    }
  }
  return range;
}

std::optional<ValueRange> overviewRange(const std::vector<LayerOverview>& layers,
                                        OverviewMeasure of) {
  std::optional<ValueRange> range = measuredRange(layers);
  const std::optional<ValueRange> uniform = uniformValues(layers, of);
  if (range && uniform) anchorAtUniform(*uniform, *range);
  return range;
}

/// Returns how many significant digits resolve a range of numbers into some twenty steps.
int digitsApart(const ValueRange& range) {
  const double spread = static_cast<double>(range.high) - range.low;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (spread <= 0 || largest <= 0) return 3;
  constexpr double steps = 20;
  const double digits = std::floor(std::log10(largest)) + 1 + std::ceil(std::log10(steps / spread));
  return static_cast<int>(std::clamp(digits, 3.0, 6.0));
}

/// Groups layers by model, in order of first appearance.
std::vector<std::vector<LayerOverview>> layersByModel(const std::vector<LayerOverview>& layers) {
  std::vector<std::vector<LayerOverview>> models;
  for (const LayerOverview& layer : layers) {
    if (models.empty() || models.back().front().of.inspection != layer.of.inspection) {
      models.emplace_back();
    }
    models.back().push_back(layer);
  }
  return models;
}

FigureBlock overviewBlock(const std::vector<LayerOverview>& layers, OverviewMeasure of,
                          const ValueRange& range) {
  const AnalysedLayer& model = layers.front().of;
  LayerHeadMap map = overviewMap(layers, of);
  map.range = range;
  FigureBlock block;
  block.caption = FigureCaption();
  block.caption->name = QString::fromStdString(model.model);
  block.caption->detail = QString::fromStdString(model.mechanismNote);
  block.caption->about = overviewMeaning(layers, of);
  block.cells = {
      layerHeadCell(std::move(map), overviewTitle(of), QStringLiteral("heads of each layer"))};
  return block;
}

/// Returns the value that a head attending uniformly to all patches would have: `83 pixels`, `61 to
/// 84 pixels`.
QString uniformMeaning(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  if (of == OverviewMeasure::Entropy) {
    const auto seesAll = [](const LayerOverview& layer) {
      return seesAllKeys(*layer.of.layer().attention);
    };
    return QStringLiteral("; ") + uniformEntropy(std::ranges::all_of(layers, seesAll));
  }
  const std::optional<ValueRange> range = uniformValues(layers, of);
  if (!range) return {};
  const QString low = valueText(range->low, 3);
  const QString high = valueText(range->high, 3);
  return QStringLiteral("; uniform attention has %1 pixels")
      .arg(low == high ? low : low + QStringLiteral(" to ") + high);
}

QString measuredMeaning(OverviewMeasure of) {
  return of == OverviewMeasure::Distance
             ? QStringLiteral(
                   "How far each head looks: the mean distance from query to key, weighted by "
                   "|attention|, in pixels of the network's input; of an even sample of queries "
                   "where they are many")
             : QStringLiteral(
                   "How widely each head looks: the mean entropy of its rows of |attention|, as a "
                   "share of ln(keys); of an even sample of rows where they are many");
}

}  // namespace

LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  LayerHeadMap map;
  for (const LayerOverview& layer : layers) {
    map.layers += QString::fromStdString(layer.of.layer().name);
    map.values.push_back(layer.heads);
  }
  map.range = overviewRange(layers, of).value_or(ValueRange());
  const std::optional<ValueRange> measured = measuredRange(layers);
  if (measured && !showsPowers(layers)) map.digits = digitsApart(*measured);
  map.colors = &colorMap(overviewColors);
  map.logarithmic = showsPowers(layers);
  return map;
}

QString overviewMeaning(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  if (of == OverviewMeasure::Entries) return entriesMeaning(layers);
  return measuredMeaning(of) + uniformMeaning(layers, of);
}

QString overviewValueText(const LayerOverview& layer, int head, OverviewMeasure of) {
  const auto index = static_cast<std::size_t>(head);
  if (of == OverviewMeasure::Entries) {
    const EntryRange& range = layer.entries[index];
    const QString text = QStringLiteral("entries from %1 to %2")
                             .arg(valueText(range.smallest), valueText(range.largest));
    const auto bound = entryBound(layer.of.attention());
    return bound ? text + QStringLiteral(", bounded by ±%1").arg(*bound) : text;
  }
  const std::optional<double>& value = layer.heads[index];
  if (!value) {
    return QStringLiteral("not defined: ") +
           QString::fromStdString(overviewObstacle(*layer.of.layer().attention, of));
  }
  if (of == OverviewMeasure::Entropy) {
    return QStringLiteral("%1 of ln(keys); %2")
        .arg(valueText(*value), uniformEntropy(seesAllKeys(*layer.of.layer().attention)));
  }
  const QString text = QStringLiteral("%1 pixels").arg(valueText(*value));
  const std::optional<double> even = evenDistance(layer);
  return even ? text + QStringLiteral("; uniform attention has ") + valueText(*even, 3) : text;
}

PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewMeasure of) {
  checkOverview(layers, of);
  const ValueRange range = overviewRange(layers, of).value_or(ValueRange());
  PanelFigure figure;
  figure.widePanels = true;
  for (const auto& model : layersByModel(layers))
    figure.blocks.push_back(overviewBlock(model, of, range));
  figure.bars = {{range, &colorMap(overviewColors),
                  showsPowers(layers) ? QStringLiteral("by powers of ten") : QString()}};
  return figure;
}

}  // namespace softscope
