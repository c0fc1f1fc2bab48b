#pragma once

#include "core/attention/TokenGrid.h"

#include <QtCore/QLineF>
#include <QtCore/QRectF>
#include <QtGui/QColor>

#include <vector>

class QPainter;

namespace softscope {

/// Lines along the borders of patches, drawn over a panel.
struct PatchOutline {
  /// Level or upright, in fractions of the part of the picture that the network saw.
  std::vector<QLineF> lines;
  QColor color = Qt::white;
  bool bold = false;
};

/// The borders between patches of different labels ([patches], row-major), and those at the grid's
/// edge; patches labelled -1 belong to nothing and have none among themselves.
std::vector<QLineF> patchBorders(const TokenGrid& grid, const std::vector<int>& labels);

/// `image` shows `visible`, in the same fractions; what lies outside it is cut off.
void paintOutline(QPainter& painter, const PatchOutline& outline, const QRectF& image,
                  const QRectF& visible, double hairline);

}  // namespace softscope
