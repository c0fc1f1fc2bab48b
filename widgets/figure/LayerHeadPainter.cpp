#include "widgets/figure/LayerHeadPainter.h"

#include "core/image/ColorMap.h"
#include "widgets/figure/ColorBarPainter.h"
#include "widgets/figure/ValueText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr double widestCell = 9;
constexpr double tallestCell = 3.2;

double nameWidth(const LayerHeadMap& map, const QFontMetricsF& metrics, double most) {
  double width = 0;
  for (const QString& layer : map.layers) {
    width = std::max(width, metrics.horizontalAdvance(layer));
  }
  return std::min(width, most);
}

QColor colorOf(const LayerHeadMap& map, double value) {
  const ColorMap::Color color = map.colors->at(map.range.fraction(static_cast<float>(value)));
  return {color[0], color[1], color[2]};
}

/// Black or white, whichever can be read on it.
QColor letterColor(const QColor& ground) {
  const double light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
  return light > 140 ? QColor(20, 20, 20) : QColor(245, 245, 245);
}

QRectF cellRect(const LayerHeadLayout& layout, int head, int layer) {
  return {layout.cells.left() + head * layout.cell.width(),
          layout.cells.top() + layer * layout.cell.height(), layout.cell.width(),
          layout.cell.height()};
}

}  // namespace

int LayerHeadMap::heads() const {
  std::size_t most = 0;
  for (const auto& layer : values) most = std::max(most, layer.size());
  return static_cast<int>(most);
}

LayerHeadLayout layoutLayerHeadMap(const QRectF& place, const LayerHeadMap& map,
                                   const FigureStyle& style) {
  const QFontMetricsF small(style.small);
  const double names = nameWidth(map, small, place.width() * 0.4) + 2 * style.gap;
  const double numbers = small.height() + style.gap;
  const double bar = colorBarHeight(style) + 2 * style.gap;
  const int heads = std::max(1, map.heads());
  const int layers = std::max<int>(1, static_cast<int>(map.layers.size()));
  const double width =
      std::min((place.width() - names) / heads, widestCell * small.averageCharWidth());
  const double height =
      std::clamp((place.height() - numbers - bar) / layers, 4.0, tallestCell * small.height());
  LayerHeadLayout layout;
  layout.cell = {std::max(1.0, width), height};
  layout.cells = {place.left() + names, place.top() + numbers, layout.cell.width() * heads,
                  height * layers};
  layout.colorBar = {layout.cells.left(), layout.cells.bottom() + 2 * style.gap,
                     std::max(layout.cells.width(), 30 * small.averageCharWidth()),
                     colorBarHeight(style)};
  return layout;
}

void paintLayerHeadMap(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                       const FigureStyle& style, std::optional<QPoint> chosen) {
  const QFontMetricsF small(style.small);
  painter.setFont(style.small);
  const bool everyName = layout.cell.height() >= small.height() * 0.9;
  for (int layer = 0; layer < map.layers.size(); ++layer) {
    const QRectF first = cellRect(layout, 0, layer);
    if (everyName || layer % 5 == 0) {
      const QRectF name(0, first.top(), layout.cells.left() - 2 * style.gap, first.height());
      painter.setPen(chosen && chosen->y() == layer ? style.text : style.muted);
      painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                       small.elidedText(map.layers[layer], Qt::ElideMiddle, name.width()));
    }
    const auto& heads = map.values[static_cast<std::size_t>(layer)];
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const QRectF cell = cellRect(layout, static_cast<int>(head), layer)
                              .adjusted(style.hairline / 2, style.hairline / 2, -style.hairline / 2,
                                        -style.hairline / 2);
      if (!heads[head]) {
        painter.setPen(style.frame);
        painter.drawLine(cell.bottomLeft(), cell.topRight());
        continue;
      }
      const QColor ground = colorOf(map, *heads[head]);
      painter.fillRect(cell, ground);
      const QString number = valueText(*heads[head], 3);
      if (small.horizontalAdvance(number) > cell.width() - 2 || small.height() > cell.height()) {
        continue;
      }
      painter.setPen(letterColor(ground));
      painter.drawText(cell, Qt::AlignCenter | Qt::TextDontClip, number);
    }
  }
  painter.setPen(style.muted);
  const int heads = map.heads();
  const int every = std::max(
      1, static_cast<int>(std::ceil(small.horizontalAdvance("00") * 1.3 / layout.cell.width())));
  for (int head = 0; head < heads; head += every) {
    const QRectF first = cellRect(layout, head, 0);
    painter.drawText(QRectF(first.left(), first.top() - small.height() - style.gap / 2,
                            first.width(), small.height()),
                     Qt::AlignCenter | Qt::TextDontClip, QString::number(head));
  }
  if (chosen) {
    QRectF frame = cellRect(layout, std::max(0, chosen->x()), chosen->y());
    if (chosen->x() < 0) {
      const auto count = map.values[static_cast<std::size_t>(chosen->y())].size();
      frame.setWidth(layout.cell.width() * double(count));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.text, 2 * style.hairline));
    painter.drawRect(frame);
  }
  if (map.colors) paintColorBar(painter, layout.colorBar, map.range, *map.colors, style);
}

std::optional<QPoint> cellAt(const LayerHeadLayout& layout, const LayerHeadMap& map,
                             const QPointF& place) {
  if (!layout.cells.contains(place)) return std::nullopt;
  const int head = static_cast<int>((place.x() - layout.cells.left()) / layout.cell.width());
  const int layer = static_cast<int>((place.y() - layout.cells.top()) / layout.cell.height());
  if (layer >= static_cast<int>(map.values.size())) return std::nullopt;
  if (head >= static_cast<int>(map.values[static_cast<std::size_t>(layer)].size())) {
    return std::nullopt;
  }
  return QPoint(head, layer);
}

}  // namespace softscope
