#include "widgets/figure/PrintableFigure.h"

#include <memory>
#include <utility>

namespace softscope {
namespace {

PanelFigure withSettings(PanelFigure figure, const FigureSettings& settings) {
  figure.settings = settings;
  return figure;
}

}  // namespace

PrintableFigure printable(PanelFigure figure) {
  const auto shared = std::make_shared<const PanelFigure>(std::move(figure));
  return {[shared](const FigureSettings& settings) {
            return panelFigureSize(withSettings(*shared, settings));
          },
          [shared](QPainter& painter, const QRectF& place, const FigureSettings& settings) {
            paintPanelFigure(painter, place, withSettings(*shared, settings));
          },
          [shared](const FigureSettings&) { return figureTitle(*shared); }};
}

PrintableFigure printable(std::function<PanelFigure(const FigureSettings&)> makeFigure) {
  return {
      [makeFigure](const FigureSettings& settings) {
        return panelFigureSize(makeFigure(settings));
      },
      [makeFigure](QPainter& painter, const QRectF& place, const FigureSettings& settings) {
        paintPanelFigure(painter, place, makeFigure(settings));
      },
      [makeFigure](const FigureSettings& settings) { return figureTitle(makeFigure(settings)); }};
}

}  // namespace softscope
