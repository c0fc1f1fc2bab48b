#include "widgets/analysis/OverviewFigure.h"

#include "core/Error.h"
#include "core/image/ColorMap.h"
#include "widgets/figure/LayerHeadFigure.h"

#include <utility>

namespace softscope {
namespace {

constexpr const char* overviewColors = "viridis";

QString overviewTitle(OverviewOf of) {
  return of == OverviewOf::Distance ? QStringLiteral("Attention distance, pixels")
                                    : QStringLiteral("Entropy / ln(keys)");
}

std::optional<ValueRange> overviewRange(const std::vector<LayerOverview>& layers) {
  std::optional<ValueRange> range;
  for (const LayerOverview& layer : layers) {
    for (const auto& value : layer.heads) include(range, value);
  }
  return range;
}

/// In the order the models come.
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

FigureBlock overviewBlock(const std::vector<LayerOverview>& layers, OverviewOf of,
                          const ValueRange& range) {
  const AnalysedLayer& model = layers.front().of;
  LayerHeadMap map = overviewMap(layers);
  map.range = range;
  FigureBlock block;
  block.caption = FigureCaption();
  block.caption->name = QString::fromStdString(model.model);
  block.caption->detail = QString::fromStdString(model.mechanismNote);
  block.caption->about = overviewMeaning(of);
  block.cells = {
      layerHeadCell(std::move(map), overviewTitle(of), QStringLiteral("heads of each layer"))};
  return block;
}

}  // namespace

LayerHeadMap overviewMap(const std::vector<LayerOverview>& layers) {
  LayerHeadMap map;
  for (const LayerOverview& layer : layers) {
    map.layers += QString::fromStdString(layer.of.layer().name);
    map.values.push_back(layer.heads);
  }
  map.range = overviewRange(layers).value_or(ValueRange());
  map.colors = &colorMap(overviewColors);
  return map;
}

QString overviewMeaning(OverviewOf of) {
  return of == OverviewOf::Distance
             ? QStringLiteral(
                   "How far each head looks: the mean distance from query to key, weighted by "
                   "|attention|, in pixels of the network's input; of an even sample of queries "
                   "where "
                   "they are many")
             : QStringLiteral(
                   "How widely each head looks: the mean entropy of its rows of |attention|, as a "
                   "share of ln(keys); of an even sample of rows where they are many");
}

PanelFigure overviewFigure(const std::vector<LayerOverview>& layers, OverviewOf of) {
  const auto range = overviewRange(layers);
  if (!range) {
    throw InspectionError(
        "no head looks from patches to patches, so that there is neither distance nor spread");
  }
  PanelFigure figure;
  figure.widePanels = true;
  for (const auto& model : layersByModel(layers))
    figure.blocks.push_back(overviewBlock(model, of, *range));
  figure.bars = {{*range, &colorMap(overviewColors), {}}};
  return figure;
}

}  // namespace softscope
