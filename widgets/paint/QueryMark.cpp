#include "widgets/paint/QueryMark.h"

#include "widgets/paint/FigureStyle.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace softscope {

QString queryLetter(int index) {
  QString letters;
  for (int rest = index; rest >= 0; rest = rest / 26 - 1) {
    letters.prepend(QChar(u'A' + rest % 26));
  }
  return letters;
}

QColor queryColor(int index) {
  // Okabe and Ito's hues, which colour-blind users can tell apart, made lighter: marks are drawn on
  // pictures and on dark colour maps.
  static const std::array<QColor, 6> colors{QColor(0xfff04d), QColor(0x7fd6ff), QColor(0xffb03b),
                                            QColor(0x63e6b0), QColor(0xffa8d8), QColor(0xff8a5c)};
  return colors[static_cast<std::size_t>(index) % colors.size()];
}

std::vector<PictureQuery> placesOf(const std::vector<MarkedQuery>& queries) {
  std::vector<PictureQuery> places;
  for (const MarkedQuery& marked : queries) places.push_back(marked.query);
  return places;
}

std::vector<MarkedQuery> markedQueries(const std::vector<PictureQuery>& queries) {
  std::vector<MarkedQuery> marked;
  for (const PictureQuery& query : queries) {
    const int index = static_cast<int>(marked.size());
    if (queries.size() == 1) {
      marked.push_back({query});
    } else {
      marked.push_back({query, queryColor(index), queryLetter(index)});
    }
  }
  return marked;
}

QueryMark patchMark(const TokenGrid& grid, const PictureExtent& extent, const MarkedQuery& query) {
  const Patch patch = patchAt(grid, extent, query.query);
  const double width = 1.0 / grid.width;
  const double height = 1.0 / grid.height;
  const QRectF place(patch.column * width, patch.row * height, width, height);
  return {place.center(), query.color, query.letter, place};
}

void paintQueryMark(QPainter& painter, const QPointF& centre, double size, const QRectF& bounds,
                    double hairline, const QColor& color) {
  const double arm = std::max(size / 2, 4 * hairline);
  const QPointF middle(std::clamp(centre.x(), bounds.left(), bounds.right()),
                       std::clamp(centre.y(), bounds.top(), bounds.bottom()));
  const QLineF across(std::max(middle.x() - arm, bounds.left()), middle.y(),
                      std::min(middle.x() + arm, bounds.right()), middle.y());
  const QLineF down(middle.x(), std::max(middle.y() - arm, bounds.top()), middle.x(),
                    std::min(middle.y() + arm, bounds.bottom()));
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const std::pair<QColor, double> strokes[] = {{QColor(0, 0, 0, 200), 3.8 * hairline},
                                               {color, 1.8 * hairline}};
  for (const auto& [stroke, width] : strokes) {
    painter.setPen(QPen(stroke, width, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(across);
    painter.drawLine(down);
  }
  painter.restore();
}

void paintQueryLetter(QPainter& painter, const QPointF& centre, double size, const QColor& color,
                      const QString& letter, const FigureStyle& style) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor(0, 0, 0, 190), style.hairline));
  painter.setBrush(color);
  painter.drawEllipse(centre, size / 2, size / 2);

  QFont font = style.small;
  font.setBold(true);
  font.setPixelSize(std::max(1, int(std::lround(size * (letter.size() > 1 ? 0.5 : 0.7)))));
  const bool light = qGray(color.rgb()) > 110;
  painter.setFont(font);
  painter.setPen(light ? QColor(0x16, 0x18, 0x1c) : QColor(Qt::white));
  const QRectF place(centre.x() - size, centre.y() - size, 2 * size, 2 * size);
  painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, letter);
  painter.restore();
}

}  // namespace softscope
