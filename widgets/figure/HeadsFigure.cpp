#include "widgets/figure/HeadsFigure.h"

#include "widgets/figure/PanelFigure.h"
#include "widgets/figure/QueriedLayer.h"
#include "widgets/paint/PanelText.h"

namespace softscope {
namespace {

std::vector<QueriedLayer> answersOf(const HeadsFigure& figure) {
  const PictureExtent seen = extentOf(figure.picture, figure.region);
  std::vector<QueriedLayer> answers;
  for (const LayerInspection& layer : figure.layers) {
    for (const MarkedQuery& query : figure.queries) {
      answers.push_back(askLayer(layer, seen, query, figure.direction, figure.shown));
    }
  }
  return answers;
}

FigureCaption captionOf(const HeadsFigure& figure, const QueriedLayer& asked) {
  FigureCaption caption;
  caption.name = QString::fromStdString(figure.modelName);
  caption.detail = QString::fromStdString(asked.layer->name);
  caption.about = layerText(asked.attention(), QString::fromStdString(figure.mechanismNote)) +
                  QStringLiteral(" · ") +
                  questionText(asked.attention(), figure.direction, asked.token);
  return caption;
}

FigureBlock headsBlock(const HeadsFigure& figure, const QueriedLayer& asked,
                       const std::shared_ptr<const CroppedPicture>& picture) {
  const double aspect =
      panelAspect(figure.picture.get(), figure.region, asked.attention(), figure.direction);
  const std::vector<ValueRange> ranges = valueRanges(asked.values, figure.view);
  const bool shared = figure.view.normalisation == ViewSettings::Normalisation::Shared;
  FigureBlock block;
  block.caption = captionOf(figure, asked);
  block.cells.push_back({picturePanel(asked), picture, aspect});
  for (std::size_t i = 0; i < asked.values.size(); ++i) {
    HeadPanel panel = headPanel(asked, asked.values[i], ranges[i], figure.view);
    panel.colorBar = !shared;
    block.cells.push_back({std::move(panel), picture, aspect});
  }
  if (shared && !ranges.empty()) {
    block.bar = {ranges.front(), heatmapStyle(figure.view, ranges.front()).colors, {}};
  }
  return block;
}

PanelFigure headsPanels(const HeadsFigure& figure,
                        const std::shared_ptr<const CroppedPicture>& picture) {
  PanelFigure panels;
  panels.settings = figure.settings;
  for (const QueriedLayer& asked : answersOf(figure)) {
    panels.blocks.push_back(headsBlock(figure, asked, picture));
  }
  return panels;
}

}  // namespace

QSizeF headsFigureSize(const HeadsFigure& figure) {
  return panelFigureSize(headsPanels(figure, nullptr));
}

void paintHeadsFigure(QPainter& painter, const QRectF& place, const HeadsFigure& figure) {
  std::shared_ptr<const CroppedPicture> picture;
  if (figure.picture) {
    picture = std::make_shared<const CroppedPicture>(pictureImage(*figure.picture), figure.region);
  }
  paintPanelFigure(painter, place, headsPanels(figure, picture));
}

NamedArrays headsFigureArrays(const HeadsFigure& figure) {
  NamedArrays arrays;
  for (const QueriedLayer& asked : answersOf(figure)) {
    const std::string name = layerName(*asked.layer) + "." + queryName(asked);
    for (const AttentionValues& values : asked.values) addArrays(arrays, name, values);
  }
  return arrays;
}

}  // namespace softscope
