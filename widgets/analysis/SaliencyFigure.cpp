#include "core/attention/Mechanism.h"
#include "widgets/analysis/HeadCurves.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/figure/QueriedPanels.h"
#include "widgets/paint/PanelText.h"

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

QString tokensName(const LayerSaliency& saliency, bool queries) {
  if (!queries) return QStringLiteral("keys");
  return saliency.keysAreQueries ? QStringLiteral("queries = keys") : QStringLiteral("queries");
}

QString summedText(const Saliency& saliency) {
  return saliency.heads.size() == 1 ? QStringLiteral("1 head") : QStringLiteral("summed");
}

AttentionValues valuesOf(const ShownSaliency& map) {
  AttentionValues values;
  values.grid = map.of->grid;
  values.onPicture = true;
  values.patches = map.map->norms;
  return values;
}

/// Returns the panels' ranges. Sums are larger than their summands, so they do not share a range
/// with heads.
std::vector<ValueRange> rangesOf(const std::vector<AttentionValues>& maps, std::size_t sums,
                                 const ViewSettings& view) {
  const auto middle = maps.begin() + static_cast<std::ptrdiff_t>(sums);
  std::vector<ValueRange> ranges = valueRanges({maps.begin(), middle}, view);
  const std::vector<ValueRange> ofHeads = valueRanges({middle, maps.end()}, view);
  ranges.insert(ranges.end(), ofHeads.begin(), ofHeads.end());
  return ranges;
}

FigureBlock saliencyBlock(const LayerSaliency& saliency,
                          const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  PictureBlock block{.region = saliency.of.region};
  block.caption = captionOf({saliency.of}, {});
  block.caption.about = saliencyText(saliency);
  block.grid = saliency.queries ? saliency.queries->grid : saliency.keys->grid;
  block.panels = saliencyPanels(saliency, view);
  return pictureBlock(std::move(block), picture);
}

}  // namespace

std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view) {
  const std::vector<ShownSaliency> maps = shownSaliency(saliency);
  std::vector<AttentionValues> values;
  for (const ShownSaliency& map : maps) values.push_back(valuesOf(map));
  const std::size_t sums = saliency.queries && saliency.keys ? 2 : 1;
  const std::vector<ValueRange> ranges = rangesOf(values, std::min(sums, values.size()), view);
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    HeadPanel panel;
    const QString tokens = tokensName(saliency, maps[i].queries);
    panel.title = maps[i].head ? headText(*maps[i].head) : tokens;
    panel.note = maps[i].head ? tokens : summedText(*maps[i].of);
    panel.values = std::move(values[i]);
    panel.range = ranges[i];
    panel.heat = heatmapStyle(view, ranges[i]);
    panels.push_back(std::move(panel));
  }
  return panels;
}

QString saliencyText(const LayerSaliency& saliency) {
  const AttentionDescription& attention = saliency.of.attention();
  QString text = layerText(attention, QString::fromStdString(saliency.of.mechanismNote)) +
                 QStringLiteral(" · l1 norm over channels of each patch's ");
  text += saliency.keysAreQueries             ? QStringLiteral("query, which is its key too")
          : saliency.queries && saliency.keys ? QStringLiteral("query and key")
          : saliency.queries                  ? QStringLiteral("query")
                                              : QStringLiteral("key");
  if (traitsOf(attention.mechanism).normalisesChannels) {
    text += QStringLiteral(", after SimA's normalisation");
  }
  return text;
}

PanelFigure saliencyFigure(const std::vector<LayerSaliency>& saliencies,
                           const std::shared_ptr<const Picture>& picture,
                           const ViewSettings& view) {
  PanelFigure figure;
  for (const LayerSaliency& saliency : saliencies) {
    if (saliency.obstacle.empty()) figure.blocks.push_back(saliencyBlock(saliency, picture, view));
  }
  return figure;
}

}  // namespace softscope
