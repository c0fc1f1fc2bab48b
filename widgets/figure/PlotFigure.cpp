#include "widgets/figure/PlotFigure.h"

#include "widgets/plot/PlotPainter.h"

namespace softscope {

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
