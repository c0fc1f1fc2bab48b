#include "widgets/paint/HeadPanel.h"

#include "widgets/paint/ColorBarPainter.h"
#include "widgets/paint/PanelText.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPaintDevice>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

/// True if the panel shows the picture itself, since it has no values.
bool isPicture(const HeadPanel& panel) {
  return panel.values.grid.count() == 0;
}

bool onPicture(const HeadPanel& panel) {
  return isPicture(panel) || panel.values.onPicture;
}

/// Returns a title as it fits. Of a patch, its place says more than the word.
QString fittingTitle(QString title, const QFontMetricsF& metrics, double width) {
  if (metrics.horizontalAdvance(title) <= width) return title;
  title.remove(QStringLiteral("patch "));
  return metrics.elidedText(title, Qt::ElideMiddle, width);
}

void paintTitle(QPainter& painter, const QRectF& line, const HeadPanel& panel,
                const FigureStyle& style) {
  const QFontMetricsF title(style.title);
  const QFontMetricsF small(style.small);
  painter.setFont(style.title);
  painter.setPen(style.text);
  const QString shown = fittingTitle(panel.title, title, line.width());
  painter.drawText(line, Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip, shown);

  const double used = title.horizontalAdvance(shown);
  const double left = line.left() + (used > 0 ? used + style.gap : 0);
  if (panel.note.isEmpty() || left >= line.right()) return;
  // Aligns the note with the title's baseline instead of centring it.
  const double top = line.top() + title.ascent() - small.ascent();
  const QRectF place(left, top, line.right() - left, small.height());
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(place, Qt::AlignRight | Qt::AlignTop | Qt::TextDontClip,
                   fittingNote(panel.note, place.width(), small));
}

/// Draws the picture or a heat map, or a frame if there is neither.
void paintImage(QPainter& painter, const QRectF& place, const HeadPanel& panel,
                const CroppedPicture& picture, const FigureStyle& style) {
  const QSize pixels = devicePixels(painter, place);
  const QRectF whole(0, 0, 1, 1);
  if (isPicture(panel)) {
    if (picture.isNull()) {
      painter.setPen(QPen(style.frame, style.hairline));
      painter.drawRect(place);
    } else {
      painter.drawImage(place, picture.colored(pixels, panel.visible));
    }
    return;
  }
  const bool overlay = panel.values.onPicture && !picture.isNull();
  const QImage under = overlay ? picture.grey(pixels, panel.visible) : QImage();
  const QRectF visible = panel.values.onPicture ? panel.visible : whole;
  const QImage image =
      panel.colors.size() > 0
          ? colorsImage(panel.colors, panel.values.grid, panel.heat, pixels, under, visible)
          : heatmapImage(panel.values, panel.range, panel.heat, pixels, under, visible);
  if (!image.isNull()) painter.drawImage(place, image);
}

/// Returns the place of a query's letter beside its cross, on a side with room for it.
QPointF letterPlace(const QPointF& centre, double distance, const QRectF& bounds) {
  const double right = centre.x() + 2 * distance <= bounds.right() ? 1 : -1;
  const double up = centre.y() - 2 * distance >= bounds.top() ? -1 : 1;
  return centre + QPointF(right, up) * distance;
}

std::vector<QLineF> edgesOf(const QRectF& patch) {
  return {{patch.topLeft(), patch.topRight()},
          {patch.bottomLeft(), patch.bottomRight()},
          {patch.topLeft(), patch.bottomLeft()},
          {patch.topRight(), patch.bottomRight()}};
}

void paintPanelQuery(QPainter& painter, const QRectF& image, const HeadPanel& panel,
                     const QueryMark& mark, const FigureStyle& style) {
  const QRectF& visible = panel.visible;
  // The mark is shown only if the panel shows its place; a query outside the part that the network
  // saw is marked on the border.
  const QPointF place(std::clamp(mark.place.x(), 0.0, 1.0), std::clamp(mark.place.y(), 0.0, 1.0));
  const bool shown = place.x() >= visible.left() && place.x() <= visible.right() &&
                     place.y() >= visible.top() && place.y() <= visible.bottom();
  if (!shown) return;
  const QPointF centre(image.left() + (place.x() - visible.x()) / visible.width() * image.width(),
                       image.top() + (place.y() - visible.y()) / visible.height() * image.height());
  const double size = isPicture(panel) ? std::min(image.width() / 9, 40 * style.hairline)
                                       : std::min(image.width() / 14, 24 * style.hairline);
  const double weight = isPicture(panel) ? 1.6 : 1;
  if (!mark.patch.isEmpty()) {
    paintOutline(painter, {edgesOf(mark.patch), mark.color}, image, visible, style.hairline);
  }
  paintQueryMark(painter, centre, size, image, style.hairline * weight, mark.color);
  if (!isPicture(panel) || mark.letter.isEmpty()) return;
  const double disc = QFontMetricsF(style.small).height();
  paintQueryLetter(painter, letterPlace(centre, size / 2 + disc * 0.4, image), disc, mark.color,
                   mark.letter, style);
}

}  // namespace

double headPanelOverhead(const FigureStyle& style, bool colorBar, bool title) {
  return (title ? QFontMetricsF(style.title).height() + style.gap / 2 : 0) +
         (colorBar ? style.gap + colorBarHeight(style) : 0);
}

HeadPanelLayout layoutHeadPanel(const QRectF& place, double aspect, bool colorBar,
                                const FigureStyle& style, bool title) {
  const double titleHeight = title ? QFontMetricsF(style.title).height() : 0;
  const double room = place.height() - headPanelOverhead(style, colorBar, title);
  const double width = std::max(1.0, std::min(place.width(), room * aspect));
  const double left = place.left() + std::floor((place.width() - width) / 2);

  HeadPanelLayout layout;
  if (title) layout.title = QRectF(left, place.top(), width, titleHeight);
  const double top = place.top() + (title ? titleHeight + style.gap / 2 : 0);
  layout.image = QRectF(left, top, width, width / aspect);
  if (colorBar) {
    layout.colorBar = QRectF(left, layout.image.bottom() + style.gap, width, colorBarHeight(style));
  }
  return layout;
}

void paintHeadPanel(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                    const CroppedPicture& picture, const FigureStyle& style) {
  painter.save();
  if (!layout.title.isEmpty()) paintTitle(painter, layout.title, panel, style);
  paintImage(painter, snapped(painter, layout.image), panel, picture, style);
  if (onPicture(panel)) {
    for (const PatchOutline& outline : panel.outlines) {
      paintOutline(painter, outline, layout.image, panel.visible, style.hairline);
    }
  }
  if (onPicture(panel)) {
    for (const QueryMark& pin : panel.pins) {
      paintPanelQuery(painter, layout.image, panel, pin, style);
    }
    if (panel.query) paintPanelQuery(painter, layout.image, panel, *panel.query, style);
  }
  if (panel.colorBar && panel.heat.colors && !layout.colorBar.isEmpty()) {
    paintColorBar(painter, layout.colorBar, panel.range, *panel.heat.colors, style);
  }
  painter.restore();
}

void paintPanelTitle(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                     const FigureStyle& style) {
  if (layout.title.isEmpty()) return;
  painter.save();
  paintTitle(painter, layout.title, panel, style);
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
