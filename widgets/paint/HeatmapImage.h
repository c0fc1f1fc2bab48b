#pragma once

#include "core/image/ColorMap.h"
#include "core/query/AttentionValues.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QRectF>
#include <QtCore/QSize>
#include <QtGui/QImage>

namespace softscope {

/// How values are turned into colours.
struct HeatmapStyle {
  const ColorMap* colors = nullptr;
  bool smooth = false;
  bool absolute = false;
  /// Opacity of the colours over the picture, in [0, 1]; ignored without a picture.
  double opacity = 1;
  /// Makes `opacity` that of the largest values; smaller values are more transparent, 0 fully.
  bool fades = false;
};

/// Returns the style that the view's settings give in a range: with the diverging map if the range
/// is centred.
HeatmapStyle heatmapStyle(const ViewSettings& view, const ValueRange& range);

/// Draws values as an opaque image of size `pixels`, over `under` (8-bit grey, of the same size) or
/// alone if that is null. Values that are not finite let the picture show through. `visible` is the
/// part of the grid to show, in fractions of it.
QImage heatmapImage(const AttentionValues& values, const ValueRange& range,
                    const HeatmapStyle& style, QSize pixels, const QImage& under,
                    const QRectF& visible = {0, 0, 1, 1});

/// Draws a grid of colours, `[patches, 3]` with red, green and blue in [0, 1], as an opaque image
/// of size `pixels`; `under` and `visible` are as in heatmapImage(). Patches whose colours are not
/// finite let the picture show through.
QImage colorsImage(const Matrix& colors, const TokenGrid& grid, const HeatmapStyle& style,
                   QSize pixels, const QImage& under, const QRectF& visible = {0, 0, 1, 1});

}  // namespace softscope
