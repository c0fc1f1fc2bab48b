#include "widgets/figure/PlotFigure.h"

#include "widgets/plot/PlotPainter.h"

namespace softscope {

PanelFigure plotFigure(const FigureCaption& caption, const std::vector<Plot>& plots) {
  FigureBlock block;
  block.caption = caption;
  for (const Plot& plot : plots) {
    FigureCell cell;
    cell.panel.title = plot.title;
    cell.panel.note = plot.note;
    cell.panel.colorBar = false;
    cell.aspect = plot.aspect;
    cell.drawing = [plot](QPainter& painter, const QRectF& place, const FigureStyle& style) {
      paintPlot(painter, place, plot, style);
    };
    block.cells.push_back(std::move(cell));
  }
  block.legend = legendOf(plots);
  PanelFigure figure;
  figure.blocks = {std::move(block)};
  figure.widePanels = true;
  return figure;
}

}  // namespace softscope
