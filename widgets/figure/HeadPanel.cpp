#include "widgets/figure/HeadPanel.h"

#include "widgets/figure/ColorBarPainter.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPaintDevice>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace softscope {
namespace {

void paintTitle(QPainter& painter, const QRectF& line, const HeadPanel& panel,
                const FigureStyle& style) {
  const QFontMetricsF title(style.title);
  const QFontMetricsF small(style.small);
  painter.setFont(style.title);
  painter.setPen(style.text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip, panel.title);

  const double left = line.left() + title.horizontalAdvance(panel.title) + style.gap;
  if (panel.note.isEmpty() || left >= line.right()) return;
  // On the title's base line, not centred on it.
  const double top = line.top() + title.ascent() - small.ascent();
  const QRectF place(left, top, line.right() - left, small.height());
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(place, Qt::AlignRight | Qt::AlignTop | Qt::TextDontClip,
                   small.elidedText(panel.note, Qt::ElideRight, place.width()));
}

void paintImage(QPainter& painter, const QRectF& place, const HeadPanel& panel,
                const CroppedPicture& picture) {
  const QRectF whole = snapped(painter, place);
  const QSize pixels = devicePixels(painter, whole);
  const bool overlay = panel.values.onPicture && !picture.isNull();
  const QImage under = overlay ? picture.grey(pixels) : QImage();
  const QImage image = heatmapImage(panel.values, panel.range, panel.heat, pixels, under);
  if (!image.isNull()) painter.drawImage(whole, image);
}

}  // namespace

double headPanelOverhead(const FigureStyle& style, bool colorBar) {
  const double title = QFontMetricsF(style.title).height() + style.gap / 2;
  return title + (colorBar ? style.gap + colorBarHeight(style) : 0);
}

HeadPanelLayout layoutHeadPanel(const QRectF& place, double aspect, bool colorBar,
                                const FigureStyle& style) {
  const double titleHeight = QFontMetricsF(style.title).height();
  const double room = place.height() - headPanelOverhead(style, colorBar);
  const double width = std::max(1.0, std::min(place.width(), room * aspect));
  const double left = place.left() + std::floor((place.width() - width) / 2);

  HeadPanelLayout layout;
  layout.title = QRectF(left, place.top(), width, titleHeight);
  layout.image = QRectF(left, layout.title.bottom() + style.gap / 2, width, width / aspect);
  if (colorBar) {
    layout.colorBar = QRectF(left, layout.image.bottom() + style.gap, width, colorBarHeight(style));
  }
  return layout;
}

void paintHeadPanel(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                    const CroppedPicture& picture, const FigureStyle& style) {
  painter.save();
  paintTitle(painter, layout.title, panel, style);
  paintImage(painter, layout.image, panel, picture);
  if (panel.query) {
    const QRectF& image = layout.image;
    const QPointF centre(image.left() + panel.query->x() * image.width(),
                         image.top() + panel.query->y() * image.height());
    paintQueryMark(painter, centre, std::min(image.width() / 14, 24 * style.hairline), image,
                   style.hairline);
  }
  if (panel.colorBar && panel.heat.colors) {
    paintColorBar(painter, layout.colorBar, panel.range, *panel.heat.colors, style);
  }
  painter.restore();
}

void paintQueryMark(QPainter& painter, const QPointF& centre, double size, const QRectF& bounds,
                    double hairline) {
  const double arm = std::max(size / 2, 4 * hairline);
  const QPointF middle(std::clamp(centre.x(), bounds.left(), bounds.right()),
                       std::clamp(centre.y(), bounds.top(), bounds.bottom()));
  const QLineF across(std::max(middle.x() - arm, bounds.left()), middle.y(),
                      std::min(middle.x() + arm, bounds.right()), middle.y());
  const QLineF down(middle.x(), std::max(middle.y() - arm, bounds.top()), middle.x(),
                    std::min(middle.y() + arm, bounds.bottom()));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const std::pair<QColor, double> strokes[] = {{QColor(0, 0, 0, 190), 3.6 * hairline},
                                               {QColor(Qt::white), 1.6 * hairline}};
  for (const auto& [color, width] : strokes) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(across);
    painter.drawLine(down);
  }
  painter.restore();
}

QRectF snapped(const QPainter& painter, const QRectF& place) {
  const QTransform toDevice = painter.deviceTransform();
  const QRectF mapped = toDevice.mapRect(place);
  const QRectF whole(std::round(mapped.left()), std::round(mapped.top()),
                     std::max(1.0, std::round(mapped.width())),
                     std::max(1.0, std::round(mapped.height())));
  return toDevice.inverted().mapRect(whole);
}

QSize devicePixels(const QPainter& painter, const QRectF& place) {
  const QRectF mapped = painter.deviceTransform().mapRect(place);
  return {std::max(1, int(std::lround(mapped.width()))),
          std::max(1, int(std::lround(mapped.height())))};
}

}  // namespace softscope
