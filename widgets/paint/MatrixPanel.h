#pragma once

#include "core/analysis/LayerMatrices.h"
#include "core/query/AttentionValues.h"
#include "widgets/paint/FigureStyle.h"
#include "widgets/paint/HeatmapImage.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QPoint>
#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QImage>

#include <optional>
#include <vector>

class QPainter;

namespace softscope {

/// A row of the matrix that is marked.
struct RowMark {
  int row = 0;
  QColor color;
};

/// The content of a panel with one head's attention matrix: keys run across, queries down.
struct MatrixPanel {
  QString title;
  /// A note right of the title, less prominent: the line score.
  QString note;
  /// Numbers of rows (queries) and columns (keys) of the whole matrix.
  int queries = 0;
  int keys = 0;
  /// Names of the rows and of the columns, written along the left and upper edges of the matrix.
  QString rowLabel;
  QString columnLabel;
  /// The whole matrix at coarse resolution; `detail`, if available, is a finer part of it, drawn on
  /// top.
  AveragedPart whole;
  AveragedPart detail;
  ValueRange range;
  HeatmapStyle heat;
  std::vector<RowMark> marks;
  /// The entry under the pointer: x is the column, y the row.
  std::optional<QPoint> pointed;
  /// The part shown, in fractions of the matrix.
  QRectF visible{0, 0, 1, 1};
};

/// Convert a part of a matrix to the rectangle type of widgets, and back.
QRectF rectOf(const MatrixFraction& fraction);
MatrixFraction fractionOf(const QRectF& rect);

/// Returns the width over height at which a matrix is drawn: its own ratio, unless one side would
/// be too thin.
double matrixAspect(int queries, int keys);

/// Returns the rectangle of the matrix itself in a place that also holds its labels and marks.
QRectF matrixRect(const QRectF& place, const FigureStyle& style);

/// Draws the visible part as an image of size `pixels`: entries larger than a pixel are flat
/// rectangles, smaller ones are averaged.
QImage matrixImage(const MatrixPanel& panel, QSize pixels);

/// Draws the labels and marks around and on a matrix whose rectangle is `matrix`.
void paintMatrixMarks(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                      const FigureStyle& style);

/// Draws everything except title and colour bar.
void paintMatrix(QPainter& painter, const QRectF& place, const MatrixPanel& panel,
                 const FigureStyle& style);

}  // namespace softscope
