#pragma once

#include "widgets/paint/FigureStyle.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QRectF>

class QPainter;

namespace softscope {

struct ColorMap;

/// Returns the height of a horizontal colour bar with its numbers.
double colorBarHeight(const FigureStyle& style);

/// Draws a horizontal colour bar across the width of `place` with its numbers below: the ends and,
/// if the range is centred, zero in the middle. Ends that some values exceed are marked as such. A
/// range without finite values has no bar, and this is said in its place.
void paintColorBar(QPainter& painter, const QRectF& place, const ValueRange& range,
                   const ColorMap& colors, const FigureStyle& style);

}  // namespace softscope
