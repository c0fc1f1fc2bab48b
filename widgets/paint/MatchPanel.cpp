#include "widgets/paint/MatchPanel.h"

#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/PatchOutline.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// Distance between the pictures, as a fraction of their height.
constexpr double pictureGap = 0.06;

double aspectOf(const std::shared_ptr<const CroppedPicture>& picture) {
  return picture ? picture->aspect() : 1;
}

QRectF rightPicture(const MatchPanel& panel, const QRectF& place) {
  const double width = place.height() * aspectOf(panel.right);
  return {place.right() - width, place.top(), width, place.height()};
}

void paintPicture(QPainter& painter, const QRectF& place,
                  const std::shared_ptr<const CroppedPicture>& picture, const FigureStyle& style) {
  if (!picture || picture->isNull()) {
    painter.setPen(QPen(style.frame, style.hairline));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(place);
    return;
  }
  const QRectF pixels = snapped(painter, place);
  painter.drawImage(pixels, picture->colored(devicePixels(painter, pixels)));
}

QPointF placeIn(const QRectF& picture, const QPointF& fraction) {
  return picture.topLeft() +
         QPointF(fraction.x() * picture.width(), fraction.y() * picture.height());
}

void paintQuery(QPainter& painter, const QRectF& picture, const QueryMark& mark,
                const FigureStyle& style) {
  const QPointF fraction(std::clamp(mark.place.x(), 0.0, 1.0),
                         std::clamp(mark.place.y(), 0.0, 1.0));
  const double size = std::min(picture.width() / 14, 24 * style.hairline);
  paintQueryMark(painter, placeIn(picture, fraction), size, picture, style.hairline, mark.color);
}

}  // namespace

QColor matchColor(const QPointF& from) {
  // Hues stop short of a full circle, so that left and right differ.
  constexpr double hues = 0.85;
  const double x = std::clamp(from.x(), 0.0, 1.0);
  const double y = std::clamp(from.y(), 0.0, 1.0);
  return QColor::fromHslF(static_cast<float>(hues * x), 0.95f, static_cast<float>(0.72 - 0.22 * y));
}

double matchAspect(const MatchPanel& panel) {
  return aspectOf(panel.left) + pictureGap + aspectOf(panel.right);
}

QRectF leftPicture(const MatchPanel& panel, const QRectF& place) {
  return {place.left(), place.top(), place.height() * aspectOf(panel.left), place.height()};
}

void paintMatches(QPainter& painter, const QRectF& place, const MatchPanel& panel,
                  const FigureStyle& style) {
  const QRectF left = leftPicture(panel, place);
  const QRectF right = rightPicture(panel, place);
  painter.save();
  paintPicture(painter, left, panel.left, style);
  paintPicture(painter, right, panel.right, style);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const MatchLine& line : panel.lines) {
    const QLineF drawn(placeIn(left, line.from), placeIn(right, line.to));
    const std::pair<QColor, double> strokes[] = {{QColor(0, 0, 0, 150), 2.6 * style.hairline},
                                                 {line.color, 1.3 * style.hairline}};
    for (const auto& [color, width] : strokes) {
      painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
      painter.drawLine(drawn);
    }
    painter.setPen(QPen(QColor(0, 0, 0, 190), 0.7 * style.hairline));
    painter.setBrush(line.color);
    const double radius = 2.2 * style.hairline;
    for (const QPointF& end : {drawn.p1(), drawn.p2()}) painter.drawEllipse(end, radius, radius);
  }
  for (const QueryMark& mark : panel.queries) paintQuery(painter, left, mark, style);
  painter.restore();
}

}  // namespace softscope
