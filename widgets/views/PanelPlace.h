#pragma once

#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"

#include <QtCore/QPointF>
#include <QtCore/QString>

namespace softscope {

/// Returns the query at a place given in fractions of the part of the picture that a network saw.
PictureQuery queryInRegion(const PictureExtent& extent, const QPointF& place);

/// Returns a value for the status bar, e.g. `key (3, 4): 0.012`.
QString valueAtText(const AttentionValues& values, Direction direction, int row, int column);

}  // namespace softscope
