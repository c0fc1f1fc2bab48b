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

/// A row of the matrix that is pointed out.
struct RowMark {
  int row = 0;
  QColor color;
};

/// One head's attention matrix, keys across, queries down.
struct MatrixPanel {
  QString title;
  /// Right of the title, muted: the line score.
  QString note;
  /// Of the whole matrix.
  int queries = 0;
  int keys = 0;
  /// What rows and columns are, along the matrix' left and upper edges.
  QString rowLabel;
  QString columnLabel;
  /// All of the matrix, coarse; and, where it is there, a finer part of it, drawn over that.
  AveragedPart whole;
  AveragedPart detail;
  ValueRange range;
  HeatmapStyle heat;
  std::vector<RowMark> marks;
  /// The column and the row under the pointer.
  std::optional<QPoint> pointed;
  /// The part that is shown, in fractions of the matrix.
  QRectF visible{0, 0, 1, 1};
};

/// A part of a matrix as a rectangle of widgets, and back.
QRectF rectOf(const MatrixFraction& fraction);
MatrixFraction fractionOf(const QRectF& rect);

/// Width over height of a matrix on screen and paper: its own, unless one side would be too thin.
double matrixAspect(int queries, int keys);

/// Where the matrix itself lies in a place that also holds its labels and marks.
QRectF matrixRect(const QRectF& place, const FigureStyle& style);

/// The visible part in `pixels`: entries larger than a pixel are flat rectangles, smaller ones are
/// averaged.
QImage matrixImage(const MatrixPanel& panel, QSize pixels);

/// Labels and marks around and on a matrix that lies in `matrix`.
void paintMatrixMarks(QPainter& painter, const QRectF& matrix, const MatrixPanel& panel,
                      const FigureStyle& style);

/// All of it but title and colour bar.
void paintMatrix(QPainter& painter, const QRectF& place, const MatrixPanel& panel,
                 const FigureStyle& style);

}  // namespace softscope
