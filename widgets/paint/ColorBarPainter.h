#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/paint/FigureStyle.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QRectF>

class QPainter;

namespace softscope {

struct ColorMap;

/// Height of a horizontal colour bar with its numbers.
double colorBarHeight(const FigureStyle& style);

/// A horizontal colour bar that fills the width of `place`, its numbers below: the ends, and zero
/// in the middle where the range is centred there. Ends that values exceed say so.
void paintColorBar(QPainter& painter, const QRectF& place, const ValueRange& range,
                   const ColorMap& colors, const FigureStyle& style);

}  // namespace softscope
