#include "widgets/paint/LayerHeadPainter.h"

#include "core/image/ColorMap.h"
#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/PanelText.h"
#include "widgets/paint/ValueText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr double widestCell = 9;
/// Greater width for cells with numbers written out as powers of ten.
constexpr double widestLogarithmicCell = 12;
constexpr double tallestCell = 3.2;
/// On a page, cells grow with it, up to so many times their size in a figure.
constexpr double growthOnPage = 4;

double widestOf(const QStringList& names, const QFontMetricsF& metrics) {
  double width = 0;
  for (const QString& name : names) width = std::max(width, metrics.horizontalAdvance(name));
  return width;
}

/// Returns the layers' names, or only what distinguishes them if a full name is wider than `most`.
QStringList namesWithin(double most, const QStringList& layers, const QFontMetricsF& metrics) {
  if (widestOf(layers, metrics) <= most) return layers;
  return shortLayerNames(layers);
}

double fractionOf(const LayerHeadMap& map, double value) {
  const ValueRange& range = map.range;
  if (!map.logarithmic) return range.fraction(static_cast<float>(value));
  if (value <= range.low || range.high <= range.low) return 0;
  return std::log(value / range.low) / std::log(static_cast<double>(range.high) / range.low);
}

/// True if there is a number that a cell can show in a colour.
bool isShowable(const std::optional<double>& value) {
  return value && std::isfinite(*value);
}

QColor colorOf(const LayerHeadMap& map, double value) {
  const ColorMap::Color color = map.colors->at(fractionOf(map, value));
  return {color[0], color[1], color[2]};
}

/// Returns the relative luminance of WCAG 2.1, in [0, 1].
double luminanceOf(const QColor& color) {
  const auto linear = [](double share) {
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

/// Returns black or white, whichever has the higher contrast to `ground`; that is at least 4.5.
QColor letterColor(const QColor& ground) {
  // The luminance at which both contrasts, (1 + 0.05) / (l + 0.05) and (l + 0.05) / 0.05, are
  // equal.
  constexpr double middle = 0.179;
  return luminanceOf(ground) > middle ? QColor(0, 0, 0) : QColor(255, 255, 255);
}

/// Returns the cell of a head, or of the whole layer for -1.
QRectF cellRect(const LayerHeadLayout& layout, int head, int layer) {
  const double left =
      head < 0 ? layout.whole.left() : layout.cells.left() + head * layout.cell.width();
  return {left, layout.cells.top() + layer * layout.cell.height(), layout.cell.width(),
          layout.cell.height()};
}

/// Returns the number with as many digits as fit; empty if it does not fit at all.
QString fittingText(double value, const QSizeF& room, const QFontMetricsF& metrics) {
  if (metrics.height() > room.height()) return {};
  for (int digits = 3; digits >= 1; --digits) {
    QString text = valueText(value, digits);
    if (metrics.horizontalAdvance(text) <= room.width() - 2) return text;
  }
  return {};
}

/// Returns the number of digits above three that all cells can have; 0 if not all have room.
int commonDigits(const LayerHeadMap& map, const QSizeF& room, const QFontMetricsF& metrics) {
  const auto fits = [&](const std::optional<double>& value, int digits) {
    return !isShowable(value) ||
           metrics.horizontalAdvance(valueText(*value, digits)) <= room.width() - 2;
  };
  for (int digits = map.digits; digits > 3 && metrics.height() <= room.height(); --digits) {
    const bool all = std::all_of(map.values.begin(), map.values.end(), [&](const auto& layer) {
      return std::all_of(layer.begin(), layer.end(),
                         [&](const auto& value) { return fits(value, digits); });
    });
    if (all) return digits;
  }
  return 0;
}

void paintHeadCell(QPainter& painter, const QRectF& place, const LayerHeadMap& map,
                   const std::optional<double>& value, int digits, const FigureStyle& style) {
  const double half = style.hairline / 2;
  const QRectF cell = place.adjusted(half, half, -half, -half);
  if (!isShowable(value)) {
    painter.setPen(style.frame);
    painter.drawLine(cell.bottomLeft(), cell.topRight());
    return;
  }
  const QColor ground = colorOf(map, *value);
  painter.fillRect(cell, ground);
  painter.setPen(letterColor(ground));
  painter.drawText(cell, Qt::AlignCenter | Qt::TextDontClip,
                   digits > 0 ? valueText(*value, digits)
                              : fittingText(*value, cell.size(), QFontMetricsF(style.small)));
}

void paintCornerMark(QPainter& painter, const QRectF& cell, const QColor& color) {
  const double side = std::min(cell.width(), cell.height()) / 3;
  const QPointF corner = cell.topRight();
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF({corner, corner - QPointF(side, 0), corner + QPointF(0, side)}));
  painter.restore();
}

void paintNames(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                const FigureStyle& style, int chosenLayer) {
  const QFontMetricsF small(style.small);
  const bool everyName = layout.cell.height() >= small.height() * 0.9;
  for (int layer = 0; layer < map.layers.size(); ++layer) {
    if (!everyName && layer % 5 != 0) continue;
    const QRectF cell = cellRect(layout, 0, layer);
    const QRectF name(layout.names.left(), cell.top(), layout.names.width(), cell.height());
    painter.setPen(chosenLayer == layer ? style.text : style.muted);
    painter.drawText(name, Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                     small.elidedText(layout.layers[layer], Qt::ElideMiddle, name.width()));
  }
}

void paintColumnNames(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                      const FigureStyle& style) {
  const QFontMetricsF small(style.small);
  const auto paint = [&](int head, const QString& name) {
    const QRectF cell = cellRect(layout, head, 0);
    painter.drawText(QRectF(cell.left(), cell.top() - small.height() - style.gap / 2, cell.width(),
                            small.height()),
                     Qt::AlignCenter | Qt::TextDontClip, name);
  };
  painter.setPen(style.muted);
  if (!map.whole.empty()) paint(-1, QStringLiteral("all"));
  const auto digits = QString::number(std::max(0, map.heads() - 1)).size();
  const double widest = small.horizontalAdvance(QString(digits, u'0'));
  const int every = std::max(1, static_cast<int>(std::ceil(widest * 1.3 / layout.cell.width())));
  for (int head = 0; head < map.heads(); head += every) paint(head, QString::number(head));
}

void paintFrame(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                const FigureStyle& style, const QPoint& chosen) {
  QRectF frame = cellRect(layout, std::max(0, chosen.x()), chosen.y());
  if (chosen.x() < 0) {
    const auto count = map.values[static_cast<std::size_t>(chosen.y())].size();
    frame.setWidth(layout.cell.width() * double(count));
    if (!map.whole.empty()) frame.setLeft(layout.whole.left());
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(style.text, 2 * style.hairline));
  painter.drawRect(frame);
}

/// Returns the width of the column of whole layers with its gap, in cells.
double wholeCells(const LayerHeadMap& map) {
  return map.whole.empty() ? 0 : 1.4;
}

}  // namespace

const std::optional<double>& LayerHeadMap::value(int layer, int head) const {
  const auto row = static_cast<std::size_t>(layer);
  return head < 0 ? whole[row] : values[row][static_cast<std::size_t>(head)];
}

int LayerHeadMap::heads() const {
  std::size_t most = 0;
  for (const auto& layer : values) most = std::max(most, layer.size());
  return static_cast<int>(most);
}

LayerHeadLayout layoutLayerHeadMap(const QRectF& place, const LayerHeadMap& map,
                                   const FigureStyle& style, CellGrowth growth) {
  const QFontMetricsF small(style.small);
  const double most = growth == CellGrowth::Page ? growthOnPage : 1;
  const double mostForNames = 0.4 * place.width();
  const QStringList layerNames = namesWithin(mostForNames, map.layers, small);
  const double names = std::min(widestOf(layerNames, small), mostForNames) + 2 * style.gap;
  const double numbers = small.height() + style.gap;
  const double bar = map.colorBar ? colorBarHeight(style) + 2 * style.gap : 0;
  const int heads = std::max(1, map.heads());
  const double before = wholeCells(map);
  const double widest = map.logarithmic ? widestLogarithmicCell : widestCell;
  const int layers = std::max<int>(1, static_cast<int>(map.layers.size()));
  const double width = std::min((place.width() - names) / (heads + before),
                                most * widest * small.averageCharWidth());
  const double height = std::clamp((place.height() - numbers - bar) / layers, 4.0,
                                   most * tallestCell * small.height());
  LayerHeadLayout layout;
  layout.layers = layerNames;
  layout.cell = {std::max(1.0, width), height};
  const QRectF all(place.left() + names, place.top() + numbers,
                   layout.cell.width() * (heads + before), height * layers);
  layout.names = {place.left(), all.top(), names - 2 * style.gap, all.height()};
  layout.cells = all.adjusted(layout.cell.width() * before, 0, 0, 0);
  if (before > 0) layout.whole = {all.topLeft(), QSizeF(layout.cell.width(), all.height())};
  const double barWidth = std::max(all.width(), 30 * small.averageCharWidth());
  layout.colorBar = {all.left(), all.bottom() + 2 * style.gap,
                     std::min(barWidth, place.right() - all.left()), colorBarHeight(style)};
  return layout;
}

double layerHeadAspect(const LayerHeadMap& map) {
  // The height for a width of 170 mm and lines of 4.6 mm below the heads' numbers.
  return 170 / (6 + 4.6 * static_cast<double>(std::max<qsizetype>(1, map.layers.size())));
}

void paintLayerHeadMap(QPainter& painter, const LayerHeadLayout& layout, const LayerHeadMap& map,
                       const FigureStyle& style, std::optional<QPoint> chosen) {
  painter.setFont(style.small);
  paintNames(painter, layout, map, style, chosen ? chosen->y() : -1);
  const int digits = commonDigits(map, layout.cell, QFontMetricsF(style.small));
  for (int layer = 0; layer < map.layers.size(); ++layer) {
    const auto heads = static_cast<int>(map.values[static_cast<std::size_t>(layer)].size());
    for (int head = map.whole.empty() ? 0 : -1; head < heads; ++head) {
      paintHeadCell(painter, cellRect(layout, head, layer), map, map.value(layer, head), digits,
                    style);
    }
  }
  for (const QPoint& cell : map.marked) {
    const std::optional<double>& value = map.value(cell.y(), cell.x());
    const QColor ground = isShowable(value) ? colorOf(map, *value) : QColor(Qt::white);
    paintCornerMark(painter, cellRect(layout, cell.x(), cell.y()), letterColor(ground));
  }
  paintColumnNames(painter, layout, map, style);
  if (chosen) paintFrame(painter, layout, map, style, *chosen);
  if (!map.colors || !map.colorBar) return;
  paintColorBar(painter, layout.colorBar, map.range, *map.colors, style);
  if (!map.logarithmic) return;
  const QFontMetricsF small(style.small);
  const QString powers = QStringLiteral("by powers of ten");
  const QString longest = QStringLiteral("≤ 0.00001");
  const double room = layout.colorBar.width() - 2 * small.horizontalAdvance(longest);
  if (small.horizontalAdvance(powers) > room) return;
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(layout.colorBar, Qt::AlignHCenter | Qt::AlignBottom | Qt::TextDontClip, powers);
}

std::optional<QPoint> cellAt(const LayerHeadLayout& layout, const LayerHeadMap& map,
                             const QPointF& place) {
  const bool whole = !map.whole.empty() && layout.whole.contains(place);
  if (!whole && !layout.cells.contains(place)) return std::nullopt;
  const int layer = static_cast<int>((place.y() - layout.cells.top()) / layout.cell.height());
  if (layer >= static_cast<int>(map.values.size())) return std::nullopt;
  if (whole) return QPoint(-1, layer);
  const int head = static_cast<int>((place.x() - layout.cells.left()) / layout.cell.width());
  if (head >= static_cast<int>(map.values[static_cast<std::size_t>(layer)].size())) {
    return std::nullopt;
  }
  return QPoint(head, layer);
}

}  // namespace softscope
