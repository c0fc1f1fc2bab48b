#include "widgets/analysis/SaliencyFigure.h"

#include "widgets/analysis/HeadCurves.h"
#include "widgets/figure/QueriedLayer.h"
#include "widgets/paint/PanelText.h"

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// One map of a layer, and what it is of.
struct NamedMap {
  const Saliency* of;
  const SaliencyMap* map;
  QString title;
  QString note;
  /// In files: `query_sum`, `key_head_3`.
  std::string name;
};

QString tokensName(const LayerSaliency& saliency, bool queries) {
  if (!queries) return QStringLiteral("keys");
  return saliency.keysAreQueries ? QStringLiteral("queries = keys") : QStringLiteral("queries");
}

/// Sums first, queries before keys.
std::vector<NamedMap> mapsOf(const LayerSaliency& saliency) {
  const std::pair<const std::optional<Saliency>&, bool> sides[] = {{saliency.queries, true},
                                                                   {saliency.keys, false}};
  std::vector<NamedMap> maps;
  for (const auto& [side, queries] : sides) {
    if (!side) continue;
    const std::size_t heads = side->heads.size();
    maps.push_back({&*side, &side->summed, tokensName(saliency, queries),
                    heads == 1 ? QStringLiteral("1 head") : QStringLiteral("summed"),
                    queries ? "query_sum" : "key_sum"});
  }
  for (const auto& [side, queries] : sides) {
    if (!side) continue;
    for (const int head : saliency.heads) {
      maps.push_back({&*side, &side->heads[static_cast<std::size_t>(head)], headText(head),
                      tokensName(saliency, queries),
                      (queries ? "query_head_" : "key_head_") + std::to_string(head)});
    }
  }
  return maps;
}

AttentionValues valuesOf(const NamedMap& map) {
  AttentionValues values;
  values.grid = map.of->grid;
  values.onPicture = true;
  values.patches = map.map->norms;
  return values;
}

/// Sums are larger than what they are of: they share no range with heads.
std::vector<ValueRange> rangesOf(const std::vector<AttentionValues>& maps, std::size_t sums,
                                 const ViewSettings& view) {
  const auto middle = maps.begin() + static_cast<std::ptrdiff_t>(sums);
  std::vector<ValueRange> ranges = valueRanges({maps.begin(), middle}, view);
  const std::vector<ValueRange> ofHeads = valueRanges({middle, maps.end()}, view);
  ranges.insert(ranges.end(), ofHeads.begin(), ofHeads.end());
  return ranges;
}

std::string obstacleOf(const LayerSaliency& saliency, SaliencyOf of) {
  if (saliency.queries || saliency.keys) return {};
  const LayerInspection& layer = saliency.of.layer();
  const std::string kind = "attention of the kind " + saliency.of.attention().mechanism;
  if (of != SaliencyOf::Queries && layer.queryL1.size() > 0 && querySaliency(layer)) {
    return kind +
           " has keys that are not patches, so their norms have no place on the picture; "
           "choose its queries";
  }
  if (of != SaliencyOf::Keys && layer.keyL1.size() > 0 && keySaliency(layer)) {
    return kind +
           " has queries that are not patches, so their norms have no place on the picture; "
           "choose its keys";
  }
  return kind +
         " has no queries or keys that are patches, so there are no norms to lay over the "
         "picture; choose another layer";
}

FigureBlock saliencyBlock(const LayerSaliency& saliency,
                          const std::shared_ptr<const Picture>& picture, const ViewSettings& view) {
  const auto cropped =
      picture ? std::make_shared<const CroppedPicture>(pictureImage(*picture), saliency.of.region)
              : nullptr;
  FigureBlock block;
  block.caption = captionOf({saliency.of}, {});
  block.caption->about = saliencyText(saliency);
  const TokenGrid& grid = saliency.queries ? saliency.queries->grid : saliency.keys->grid;
  const bool seen = picture && saliency.of.region.height > 0;
  const double aspect = seen ? saliency.of.region.width / saliency.of.region.height
                             : static_cast<double>(grid.width) / grid.height;
  if (picture) {
    HeadPanel panel;
    panel.title = QStringLiteral("picture");
    panel.colorBar = false;
    block.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  for (HeadPanel& panel : saliencyPanels(saliency, view)) {
    block.cells.push_back({std::move(panel), cropped, aspect, {}});
  }
  return block;
}

}  // namespace

std::vector<LayerSaliency> computeSaliency(const std::vector<AnalysedLayer>& layers,
                                           const SaliencySettings& settings,
                                           const std::vector<int>& heads) {
  std::vector<LayerSaliency> saliencies;
  for (const AnalysedLayer& layer : layers) {
    LayerSaliency saliency{.of = layer};
    saliency.keysAreQueries = keysAreQueries(layer.layer());
    if (settings.of != SaliencyOf::Keys || saliency.keysAreQueries) {
      saliency.queries = querySaliency(layer.layer());
    }
    if (settings.of != SaliencyOf::Queries && !saliency.keysAreQueries) {
      saliency.keys = keySaliency(layer.layer());
    }
    saliency.obstacle = obstacleOf(saliency, settings.of);
    saliency.heads = settings.eachHead ? headsOrAll(layer, {}) : heads;
    if (!saliency.obstacle.empty()) saliency.heads.clear();
    for (const int head : saliency.heads) layer.layer().attention->checkHead(head);
    saliencies.push_back(std::move(saliency));
  }
  return saliencies;
}

std::vector<HeadPanel> saliencyPanels(const LayerSaliency& saliency, const ViewSettings& view) {
  const std::vector<NamedMap> maps = mapsOf(saliency);
  std::vector<AttentionValues> values;
  for (const NamedMap& map : maps) values.push_back(valuesOf(map));
  const std::size_t sums = saliency.queries && saliency.keys ? 2 : 1;
  const std::vector<ValueRange> ranges = rangesOf(values, std::min(sums, values.size()), view);
  std::vector<HeadPanel> panels;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    HeadPanel panel;
    panel.title = maps[i].title;
    panel.note = maps[i].note;
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
  if (attention.mechanism.starts_with("sima")) {
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

NamedArrays saliencyArrays(const std::vector<LayerSaliency>& saliencies) {
  NamedArrays arrays;
  for (const LayerSaliency& saliency : saliencies) {
    const std::string prefix = saliency.of.model + "." + layerName(saliency.of.layer()) + ".";
    for (const NamedMap& map : mapsOf(saliency)) {
      const Vector& norms = map.map->norms;
      arrays.emplace_back(prefix + map.name, FloatArray{{map.of->grid.height, map.of->grid.width},
                                                        {norms.begin(), norms.end()}});
    }
  }
  return arrays;
}

}  // namespace softscope
