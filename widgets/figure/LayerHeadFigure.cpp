#include "widgets/figure/LayerHeadFigure.h"

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

}  // namespace softscope
