#include "widgets/paint/PatchOutline.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <functional>
#include <utility>

namespace softscope {
namespace {

constexpr int nothing = -1;

/// Calls `found` for each run of border along a line of `length` patches, as [begin, end).
template <typename IsBorder>
void forEachRun(int length, const IsBorder& isBorder, const std::function<void(int, int)>& found) {
  int begin = 0;
  for (int i = 0; i <= length; ++i) {
    if (i < length && isBorder(i)) continue;
    if (i > begin) found(begin, i);
    begin = i + 1;
  }
}

/// Cuts a line to `bounds` geometrically, because Qt writes no clipping into SVG. Returns a null
/// line if nothing is left.
QLineF cut(const QLineF& line, const QRectF& bounds) {
  const bool outside = line.x2() < bounds.left() || line.x1() > bounds.right() ||
                       line.y2() < bounds.top() || line.y1() > bounds.bottom();
  if (outside) return {};
  return {std::max(line.x1(), bounds.left()), std::max(line.y1(), bounds.top()),
          std::min(line.x2(), bounds.right()), std::min(line.y2(), bounds.bottom())};
}

}  // namespace

std::vector<QLineF> patchBorders(const TokenGrid& grid, const std::vector<int>& labels) {
  const auto label = [&](int row, int column) {
    const bool inside = row >= 0 && row < grid.height && column >= 0 && column < grid.width;
    return inside ? labels[static_cast<std::size_t>(row * grid.width + column)] : nothing;
  };
  const double width = grid.width;
  const double height = grid.height;
  std::vector<QLineF> lines;
  for (int row = 0; row <= grid.height; ++row) {
    const auto between = [&](int column) { return label(row - 1, column) != label(row, column); };
    forEachRun(grid.width, between, [&](int begin, int end) {
      lines.emplace_back(begin / width, row / height, end / width, row / height);
    });
  }
  for (int column = 0; column <= grid.width; ++column) {
    const auto between = [&](int row) { return label(row, column - 1) != label(row, column); };
    forEachRun(grid.height, between, [&](int begin, int end) {
      lines.emplace_back(column / width, begin / height, column / width, end / height);
    });
  }
  return lines;
}

std::vector<PatchOutline> windowOutlines(const AttentionValues& values) {
  if (!values.onPicture || values.outside.empty()) return {};
  std::vector<int> labels;
  for (const bool outside : values.outside) labels.push_back(outside ? -1 : 0);
  return {{patchBorders(values.grid, labels), QColor(255, 255, 255, 220), false}};
}

void paintOutline(QPainter& painter, const PatchOutline& outline, const QRectF& image,
                  const QRectF& visible, double hairline) {
  const auto place = [&](const QPointF& point) {
    return QPointF(image.left() + (point.x() - visible.x()) / visible.width() * image.width(),
                   image.top() + (point.y() - visible.y()) / visible.height() * image.height());
  };
  std::vector<QLineF> lines;
  for (const QLineF& whole : outline.lines) {
    const QLineF line = cut(whole, visible);
    if (!line.isNull()) lines.emplace_back(place(line.p1()), place(line.p2()));
  }
  const double width = (outline.bold ? 1.8 : 0.8) * hairline;
  const QColor shade(0, 0, 0, outline.bold ? 200 : 110);
  painter.save();
  const std::pair<QColor, double> strokes[] = {{shade, 2.1 * width}, {outline.color, width}};
  for (const auto& [color, stroke] : strokes) {
    painter.setPen(QPen(color, stroke, Qt::SolidLine, Qt::SquareCap));
    for (const QLineF& line : lines) painter.drawLine(line);
  }
  painter.restore();
}

}  // namespace softscope
