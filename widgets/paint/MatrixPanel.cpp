#include "widgets/paint/MatrixPanel.h"

#include "widgets/paint/HeadPanel.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <QtGui/QPolygonF>

#include <algorithm>
#include <cmath>

namespace softscope {
namespace {

constexpr double mostStretched = 4;
/// A row of at least this many hairlines is framed rather than struck through.
constexpr double frameable = 5;

/// The entries that a pixel averages, [first, last]; the outer two may be covered only in part.
struct Cover {
  int first = 0;
  int last = 0;
  double firstWeight = 1;
  double lastWeight = 0;
};

/// Returns one cover per pixel; `from` and `to` bound the part shown, in entries.
std::vector<Cover> coversAlong(int pixels, int entries, double from, double to) {
  std::vector<Cover> covers(static_cast<std::size_t>(pixels));
  const double step = (to - from) / pixels;
  for (int pixel = 0; pixel < pixels; ++pixel) {
    Cover& cover = covers[static_cast<std::size_t>(pixel)];
    const double begin = from + step * pixel;
    if (step <= 1) {
      cover.first = cover.last =
          std::clamp(static_cast<int>(std::floor(begin + step / 2)), 0, entries - 1);
      continue;
    }
    const double end = begin + step;
    cover.first = std::clamp(static_cast<int>(std::floor(begin)), 0, entries - 1);
    cover.last = std::clamp(static_cast<int>(std::ceil(end)) - 1, cover.first, entries - 1);
    if (cover.last == cover.first) continue;
    cover.firstWeight = cover.first + 1 - begin;
    cover.lastWeight = end - cover.last;
  }
  return covers;
}

double weightOf(const Cover& cover) {
  return cover.first == cover.last
             ? 1
             : cover.firstWeight + cover.lastWeight + (cover.last - cover.first - 1);
}

/// Averages rows: one row of the result for each cover.
Matrix averagedRows(const Matrix& values, const std::vector<Cover>& covers) {
  Matrix averages(static_cast<Eigen::Index>(covers.size()), values.cols());
  for (std::size_t i = 0; i < covers.size(); ++i) {
    const Cover& cover = covers[i];
    auto row = averages.row(static_cast<Eigen::Index>(i));
    if (cover.first == cover.last) {
      row = values.row(cover.first);
      continue;
    }
    row = values.row(cover.first) * static_cast<float>(cover.firstWeight) +
          values.row(cover.last) * static_cast<float>(cover.lastWeight);
    for (int entry = cover.first + 1; entry < cover.last; ++entry) row += values.row(entry);
    row /= static_cast<float>(weightOf(cover));
  }
  return averages;
}

QRectF cells(const MatrixPart& part) {
  return QRectF(part.firstColumn, part.firstRow, part.columns, part.rows);
}

/// Returns the visible part in rows and columns of the matrix, not rounded.
QRectF visibleCells(const MatrixPanel& panel) {
  return {panel.visible.x() * panel.keys, panel.visible.y() * panel.queries,
          panel.visible.width() * panel.keys, panel.visible.height() * panel.queries};
}

/// Draws the part of `from` that is shown onto an image of the whole visible part.
void drawPart(QPainter& painter, QSize pixels, const MatrixPanel& panel, const AveragedPart& from) {
  const QRectF seen = visibleCells(panel);
  const QRectF whole = cells(from.part);
  const QRectF shown = seen.intersected(whole);
  if (!from.values || shown.isEmpty()) return;
  const double across = pixels.width() / seen.width();
  const double down = pixels.height() / seen.height();
  const QRect place(QPoint(int(std::lround((shown.left() - seen.left()) * across)),
                           int(std::lround((shown.top() - seen.top()) * down))),
                    QPoint(int(std::lround((shown.right() - seen.left()) * across)) - 1,
                           int(std::lround((shown.bottom() - seen.top()) * down)) - 1));
  if (place.isEmpty()) return;
  const auto rows = static_cast<int>(from.values->rows());
  const auto columns = static_cast<int>(from.values->cols());
  const double entriesAcross = columns / whole.width();
  const double entriesDown = rows / whole.height();
  const Matrix lines = averagedRows(
      *from.values, coversAlong(place.height(), rows, (shown.top() - whole.top()) * entriesDown,
                                (shown.bottom() - whole.top()) * entriesDown));
  const Matrix averages =
      averagedRows(lines.transpose(), coversAlong(place.width(), columns,
                                                  (shown.left() - whole.left()) * entriesAcross,
                                                  (shown.right() - whole.left()) * entriesAcross))
          .transpose();
  AttentionValues values;
  values.grid = {place.height(), place.width()};
  values.patches = Eigen::Map<const Vector>(averages.data(), averages.size());
  painter.drawImage(place.topLeft(),
                    heatmapImage(values, panel.range, panel.heat, place.size(), QImage()));
}

double triangleSize(const FigureStyle& style) {
  return QFontMetricsF(style.small).height() * 0.45;
}

/// Draws a triangle outside an edge; its tip touches `tip` and points in the direction `inwards`.
void paintTriangle(QPainter& painter, const QPointF& tip, const QPointF& inwards, double size,
                   const QColor& color) {
  const QPointF along(inwards.y() * size / 2, inwards.x() * size / 2);
  const QPointF base = tip - inwards * size;
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawPolygon(QPolygonF({tip, base + along, base - along}));
}

void paintRowMark(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                  const RowMark& mark, const FigureStyle& style) {
  const QRectF seen = visibleCells(panel);
  const double height = matrix.height() / seen.height();
  const double top = matrix.top() + (mark.row - seen.top()) * height;
  const double middle = top + height / 2;
  if (middle < matrix.top() || middle > matrix.bottom()) return;
  if (height >= frameable * style.hairline) {
    const QRectF row = QRectF(matrix.left(), top, matrix.width(), height).intersected(matrix);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(0, 0, 0, 150), 2.2 * style.hairline));
    painter.drawRect(row);
    painter.setPen(QPen(mark.color, style.hairline));
    painter.drawRect(row);
  } else {
    QColor thin = mark.color;
    thin.setAlpha(110);
    painter.setPen(QPen(thin, style.hairline));
    painter.drawLine(QPointF(matrix.left(), middle), QPointF(matrix.right(), middle));
  }
  // White marks would be invisible beside the matrix.
  const QColor beside = mark.color == QColor(Qt::white) ? style.text : mark.color;
  const double size = triangleSize(style);
  paintTriangle(painter, {matrix.left() - style.hairline, middle}, {1, 0}, size, beside);
  paintTriangle(painter, {matrix.right() + style.hairline, middle}, {-1, 0}, size, beside);
}

void paintPointer(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                  const FigureStyle& style) {
  const QRectF seen = visibleCells(panel);
  const double across = matrix.width() / seen.width();
  const double down = matrix.height() / seen.height();
  const QRectF cell(matrix.left() + (panel.pointed->x() - seen.left()) * across,
                    matrix.top() + (panel.pointed->y() - seen.top()) * down, across, down);
  const QPointF centre = cell.center();
  if (!matrix.contains(centre)) return;
  const double size = triangleSize(style);
  paintTriangle(painter, {matrix.left() - style.hairline, centre.y()}, {1, 0}, size, style.muted);
  paintTriangle(painter, {centre.x(), matrix.top() - style.hairline}, {0, 1}, size, style.muted);
  if (std::min(across, down) < frameable) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(0, 0, 0, 150), 2.2 * style.hairline));
  painter.drawRect(cell.intersected(matrix));
  painter.setPen(QPen(Qt::white, style.hairline));
  painter.drawRect(cell.intersected(matrix));
}

void paintLabels(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                 const FigureStyle& style) {
  const QFontMetricsF metrics(style.small);
  const double away = triangleSize(style) + style.hairline + metrics.height();
  painter.setFont(style.small);
  painter.setPen(style.muted);
  painter.drawText(QRectF(matrix.left(), matrix.top() - away, matrix.width(), metrics.height()),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip,
                   metrics.elidedText(panel.columnLabel, Qt::ElideRight, matrix.width()));
  // A label cut to a letter or two would be useless.
  if (matrix.height() < 5 * metrics.height()) return;
  painter.save();
  painter.translate(matrix.left() - away, matrix.bottom());
  painter.rotate(-90);
  painter.drawText(QRectF(0, 0, matrix.height(), metrics.height()),
                   Qt::AlignRight | Qt::AlignTop | Qt::TextDontClip,
                   metrics.elidedText(panel.rowLabel, Qt::ElideLeft, matrix.height()));
  painter.restore();
}

}  // namespace

QRectF rectOf(const MatrixFraction& fraction) {
  return {fraction.left, fraction.top, fraction.width, fraction.height};
}

MatrixFraction fractionOf(const QRectF& rect) {
  return {rect.x(), rect.y(), rect.width(), rect.height()};
}

double matrixAspect(int queries, int keys) {
  return std::clamp(double(keys) / queries, 1 / mostStretched, mostStretched);
}

QRectF matrixRect(const QRectF& place, const FigureStyle& style) {
  const double triangle = triangleSize(style) + style.hairline;
  const double label = QFontMetricsF(style.small).height();
  return place.adjusted(label + triangle, label + triangle, -triangle, -triangle);
}

QImage matrixImage(const MatrixPanel& panel, QSize pixels) {
  if (pixels.isEmpty()) return {};
  QImage image(pixels, QImage::Format_RGB32);
  image.fill(Qt::gray);
  QPainter painter(&image);
  const MatrixPart seen = matrixPart(fractionOf(panel.visible), panel.queries, panel.keys);
  const bool covered = panel.detail.values && cells(panel.detail.part).contains(cells(seen));
  if (!covered) drawPart(painter, pixels, panel, panel.whole);
  drawPart(painter, pixels, panel, panel.detail);
  return image;
}

void paintMatrixMarks(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                      const FigureStyle& style) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  paintLabels(painter, matrix, panel, style);
  for (const RowMark& mark : panel.marks) paintRowMark(painter, matrix, panel, mark, style);
  if (panel.pointed) paintPointer(painter, matrix, panel, style);
  painter.restore();
}

void paintMatrix(QPainter& painter, const QRectF& place, const MatrixPanel& panel,
                 const FigureStyle& style) {
  const QRectF matrix = matrixRect(place, style);
  if (matrix.width() < 1 || matrix.height() < 1) return;
  const QRectF exact = snapped(painter, matrix);
  painter.drawImage(exact, matrixImage(panel, devicePixels(painter, exact)));
  paintMatrixMarks(painter, matrix, panel, style);
}

}  // namespace softscope
