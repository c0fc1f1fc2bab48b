#pragma once

#include "core/image/ColorMap.h"
#include "core/query/AttentionValues.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QRectF>
#include <QtCore/QSize>
#include <QtGui/QImage>

namespace softscope {

/// How values become colours.
struct HeatmapStyle {
  const ColorMap* colors = nullptr;
  bool smooth = false;
  bool absolute = false;
  /// Of the colours over the picture, in [0, 1]; ignored where there is no picture.
  double opacity = 1;
  /// That opacity is the largest values'; smaller ones have less, 0 none.
  bool fades = false;
};

/// The style that a view asks for in a range: the diverging map where it is centred.
HeatmapStyle heatmapStyle(const ViewSettings& view, const ValueRange& range);

/// Values as an opaque image of `pixels`, over `under` (8-bit grey, of the same size) or alone
/// where it is null. Values that are not finite stay transparent to the picture. `visible` is the
/// part of the grid shown, in fractions of it.
QImage heatmapImage(const AttentionValues& values, const ValueRange& range,
                    const HeatmapStyle& style, QSize pixels, const QImage& under,
                    const QRectF& visible = {0, 0, 1, 1});

/// Colours [patches, 3] of a grid, red, green and blue in [0, 1], as an image like that; patches
/// whose colours are not finite let the picture through.
QImage colorsImage(const Matrix& colors, const TokenGrid& grid, const HeatmapStyle& style,
                   QSize pixels, const QImage& under, const QRectF& visible = {0, 0, 1, 1});

}  // namespace softscope
