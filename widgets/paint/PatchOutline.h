#pragma once

#include "core/attention/TokenGrid.h"
#include "core/query/AttentionValues.h"

#include <QtCore/QLineF>
#include <QtCore/QRectF>
#include <QtGui/QColor>

#include <vector>

class QPainter;

namespace softscope {

/// Lines along the borders of patches, drawn over a panel.
struct PatchOutline {
  /// Horizontal or vertical lines, in fractions of the part of the picture that the network saw.
  std::vector<QLineF> lines;
  QColor color = Qt::white;
  bool bold = false;
};

/// Returns the borders between patches with different labels (`[patches]`, row-major), and those at
/// the grid's edge. Patches labelled -1 belong to no area and have no borders among themselves.
std::vector<QLineF> patchBorders(const TokenGrid& grid, const std::vector<int>& labels);

/// Returns the border of the window that an answer's attention was computed in, if there is one.
std::vector<PatchOutline> windowOutlines(const AttentionValues& values);

/// Draws an outline over `image`, which shows the part `visible` (in the same fractions as the
/// lines); lines outside it are cut off.
void paintOutline(QPainter& painter, const PatchOutline& outline, const QRectF& image,
                  const QRectF& visible, double hairline);

}  // namespace softscope
