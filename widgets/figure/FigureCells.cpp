#include "widgets/figure/FigureCells.h"

#include "widgets/plot/PlotPainter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {

FigureCell layerHeadCell(LayerHeadMap map, const QString& title, const QString& note) {
  map.colorBar = false;
  FigureCell cell;
  cell.panel.title = title;
  cell.panel.note = note;
  cell.panel.colorBar = false;
  cell.aspect = layerHeadAspect(map);
  cell.drawing = [map = std::move(map)](QPainter& painter, const QRectF& place,
                                        const FigureStyle& style) {
    paintLayerHeadMap(painter, layoutLayerHeadMap(place, map, style), map, style, std::nullopt);
  };
  return cell;
}

void include(std::optional<ValueRange>& range, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  const auto number = static_cast<float>(*value);
  if (!range) range = ValueRange{number, number};
  range->low = std::min(range->low, number);
  range->high = std::max(range->high, number);
}

FigureCell plotCell(const Plot& plot) {
  FigureCell cell;
  cell.panel.title = plot.title;
  cell.panel.note = plot.note;
  cell.panel.colorBar = false;
  cell.aspect = plot.aspect;
  cell.drawing = [plot](QPainter& painter, const QRectF& place, const FigureStyle& style) {
    paintPlot(painter, place, plot, style);
  };
  return cell;
}

PanelFigure plotFigure(const FigureCaption& caption, const std::vector<Plot>& plots) {
  FigureBlock block;
  block.caption = caption;
  for (const Plot& plot : plots) block.cells.push_back(plotCell(plot));
  block.plots = plots;
  PanelFigure figure;
  figure.blocks = {std::move(block)};
  figure.widePanels = true;
  return figure;
}

}  // namespace softscope
