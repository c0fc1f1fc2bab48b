#include "core/Error.h"
#include "core/image/ColorMap.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/figure/FigureCells.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace softscope {
namespace {

constexpr const char* shareColors = "viridis";

/// Returns the value that the map shows of a head; empty if it is not defined or not finite.
std::optional<double> valueOf(const LayerShare& layer, const HeadShare& head, ShareReference of) {
  std::optional<double> value;
  switch (of) {
    case ShareReference::Residual:
      value = layer.residualShare(head);
      break;
    case ShareReference::Beside:
      value = head.besideShare();
      break;
    case ShareReference::Knockout:
      if (head.knockout) value = head.knockout->relativeChange;
      break;
  }
  if (value && !std::isfinite(*value)) value.reset();
  return value;
}

QString shareTitle(ShareReference of) {
  switch (of) {
    case ShareReference::Residual:
      return QStringLiteral("Attention term / residual stream");
    case ShareReference::Beside:
      return QStringLiteral("Attention term / what is beside it");
    case ShareReference::Knockout:
      break;
  }
  return QStringLiteral("Knock-out: change of the logits / logits");
}

/// Returns the range of the values that a logarithmic scale can show: positive and finite ones.
std::optional<ValueRange> shareRange(const ModelShare& share, ShareReference of) {
  std::optional<ValueRange> range;
  const auto add = [&](const std::optional<double>& value) {
    if (value && *value > 0) include(range, value);
  };
  for (const LayerShare& layer : share.layers) {
    add(valueOf(layer, layer.whole, of));
    for (const HeadShare& head : layer.heads) add(valueOf(layer, head, of));
  }
  return range;
}

QString rangeText(const ValueRange& range) {
  if (range.low == range.high) return valueText(range.low, 2);
  return QStringLiteral("%1 to %2").arg(valueText(range.low, 2), valueText(range.high, 2));
}

bool changesClass(const ModelShare& share, const HeadShare& head) {
  const std::optional<int> predicted = share.predictedClass();
  if (!predicted || !head.knockout || !head.knockout->predictedClass) return false;
  return *head.knockout->predictedClass != *predicted;
}

QString classText(const MeasuredShare& measured, const std::optional<int>& index) {
  if (!index) return QStringLiteral("no class");
  const auto& names = measured.classNames;
  const auto i = static_cast<std::size_t>(*index);
  if (i < names.size() && !names[i].empty()) return QString::fromStdString(names[i]);
  return QStringLiteral("class %1").arg(*index);
}

QString knockoutSummary(const ModelShare& share) {
  const auto range = shareRange(share, ShareReference::Knockout);
  if (!range) {
    const bool isKnown = std::ranges::any_of(share.layers, [](const LayerShare& layer) {
      return std::ranges::any_of(layer.heads, [&](const HeadShare& head) {
        return valueOf(layer, head, ShareReference::Knockout).has_value();
      });
    });
    return isKnown ? QStringLiteral("no knock-out changes the logits")
                   : QStringLiteral("no knock-out leaves finite logits");
  }
  int heads = 0;
  int changed = 0;
  for (const LayerShare& layer : share.layers) {
    for (const HeadShare& head : layer.heads) {
      ++heads;
      changed += changesClass(share, head) ? 1 : 0;
    }
  }
  return QStringLiteral(
             "knocking out changes the logits by %1 of their norm, and the class with "
             "%2 of %3 heads")
      .arg(rangeText(*range))
      .arg(changed)
      .arg(heads);
}

FigureBlock shareBlock(const MeasuredShare& measured, ShareReference of, const ValueRange& range) {
  LayerHeadMap map = shareMap(*measured.share, of);
  map.range = range;
  FigureBlock block;
  block.caption = FigureCaption();
  block.caption->name = QString::fromStdString(measured.model);
  block.caption->detail = QString::fromStdString(measured.mechanismNote);
  block.caption->about = shareMeaning(of) + captionSeparator + shareSummary(*measured.share);
  block.cells = {layerHeadCell(std::move(map), shareTitle(of),
                               QStringLiteral("heads of each layer, and all together"))};
  return block;
}

}  // namespace

QString shareObstacle(const ModelShare& share, ShareReference of) {
  if (of == ShareReference::Knockout && share.logits.empty()) {
    return QStringLiteral(
        "This model is a backbone without a head: it predicts nothing that a knock-out could "
        "change. Its shares are there.");
  }
  if (!share.hasNorms && (of != ShareReference::Knockout || !share.knockouts)) {
    return QStringLiteral(
        "The network runs in a Python process, which does not say how much each head adds. Make "
        "knock-outs: how its answer changes without a head.");
  }
  if (of == ShareReference::Knockout && !share.knockouts) {
    return QStringLiteral("No knock-outs were made.");
  }
  const auto& layers = share.layers;
  const bool beside = std::any_of(layers.begin(), layers.end(), [](const LayerShare& layer) {
    return layer.whole.besideNorm.has_value();
  });
  if (of == ShareReference::Beside && !beside) {
    return QStringLiteral(
        "No layer of this model adds anything to its heads beside their attention. Compare with "
        "the residual stream instead.");
  }
  return {};
}

LayerHeadMap shareMap(const ModelShare& share, ShareReference of) {
  LayerHeadMap map;
  for (const LayerShare& layer : share.layers) {
    const int row = static_cast<int>(map.layers.size());
    map.layers += QString::fromStdString(layer.layer);
    map.whole.push_back(valueOf(layer, layer.whole, of));
    std::vector<std::optional<double>> heads;
    for (const HeadShare& head : layer.heads) {
      if (of == ShareReference::Knockout && changesClass(share, head)) {
        map.marked.emplace_back(static_cast<int>(heads.size()), row);
      }
      heads.push_back(valueOf(layer, head, of));
    }
    map.values.push_back(std::move(heads));
    if (of == ShareReference::Knockout && changesClass(share, layer.whole))
      map.marked.emplace_back(-1, row);
  }
  map.range = shareRange(share, of).value_or(ValueRange());
  map.colors = &colorMap(shareColors);
  map.logarithmic = true;
  return map;
}

QString shareMeaning(ShareReference of) {
  switch (of) {
    case ShareReference::Residual:
      return QStringLiteral(
          "|attention term| / |residual stream|: a head's A V after its part of the output "
          "projection, against what the layer's output is added to");
    case ShareReference::Beside:
      return QStringLiteral(
          "|attention term| / |what is added beside it|: a head's A V against the convolution of "
          "its V, both before the output projection");
    case ShareReference::Knockout:
      break;
  }
  return QStringLiteral(
      "knock-out: |change of the logits| / |logits| with a head's, or all heads', A V set to zero; "
      "what stands beside it stays; under 10⁻⁶ it is float32 rounding; a marked corner: another "
      "class is predicted");
}

QString shareSummary(const ModelShare& share) {
  QStringList parts;
  if (const auto range = shareRange(share, ShareReference::Beside)) {
    parts += QStringLiteral("attention is %1 of the convolution beside it").arg(rangeText(*range));
  }
  if (const auto range = shareRange(share, ShareReference::Residual)) {
    const QString subject = parts.isEmpty() ? QStringLiteral("attention") : QStringLiteral("it");
    parts += QStringLiteral("%1 adds %2 of the residual stream").arg(subject, rangeText(*range));
  }
  if (share.knockouts) parts += knockoutSummary(share);
  if (share.logits.empty()) {
    parts += QStringLiteral("a backbone without a head: there is nothing to knock out");
  }
  return parts.join(captionSeparator);
}

QString shareText(const MeasuredShare& measured, int layer, int head) {
  const LayerShare& of = measured.share->layers[static_cast<std::size_t>(layer)];
  const HeadShare& share = head < 0 ? of.whole : of.heads[static_cast<std::size_t>(head)];
  QStringList parts;
  if (measured.share->hasNorms) {
    parts += QStringLiteral("|attention| %1").arg(valueText(share.attentionNorm));
  }
  if (share.besideNorm) {
    parts += QStringLiteral("beside it %1").arg(valueText(*share.besideNorm));
  }
  if (measured.share->hasNorms) {
    parts += QStringLiteral("projected %1").arg(valueText(share.projectedNorm));
    parts += QStringLiteral("|residual| %1").arg(valueText(of.residualNorm));
  }
  if (share.knockout) {
    parts += QStringLiteral("without it: logits change by %1 (%2 %), %3")
                 .arg(valueText(share.knockout->logitChange),
                      valueText(100 * share.knockout->relativeChange),
                      classText(measured, share.knockout->predictedClass));
  }
  const QString which =
      head < 0 ? QStringLiteral("all heads") : QStringLiteral("head %1").arg(head);
  QStringList names;
  for (const LayerShare& each : measured.share->layers) names += QString::fromStdString(each.layer);
  return QStringLiteral("%1, %2: %3")
      .arg(shortLayerNames(names)[layer], which, parts.join(captionSeparator));
}

PanelFigure shareFigure(const std::vector<MeasuredShare>& models, const ShareSettings& settings) {
  std::vector<const MeasuredShare*> shown;
  std::optional<ValueRange> range;
  for (const MeasuredShare& model : models) {
    if (!shareObstacle(*model.share, settings.of).isEmpty()) continue;
    shown.push_back(&model);
    const auto own = shareRange(*model.share, settings.of);
    if (!own) continue;
    if (!range) range = own;
    range->low = std::min(range->low, own->low);
    range->high = std::max(range->high, own->high);
  }
  if (shown.empty()) {
    const QString obstacle = shareObstacle(*models.front().share, settings.of);
    throw InspectionError(obstacle.toStdString());
  }
  PanelFigure figure;
  figure.widePanels = true;
  const ValueRange scale = range.value_or(ValueRange());
  for (const MeasuredShare* model : shown) {
    figure.blocks.push_back(shareBlock(*model, settings.of, scale));
  }
  figure.bars = {{scale, &colorMap(shareColors), QStringLiteral("by powers of ten")}};
  return figure;
}

}  // namespace softscope
