#pragma once

#include "widgets/AttentionValues.h"
#include "widgets/figure/FigureStyle.h"
#include "widgets/figure/HeatmapImage.h"
#include "widgets/figure/PictureImage.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtCore/QString>

#include <optional>

class QPainter;

namespace softscope {

/// What one panel of a grid of heads shows.
struct HeadPanel {
  QString title;
  /// Right of the title, muted: the class token's weight, or what the values are.
  QString note;
  AttentionValues values;
  ValueRange range;
  HeatmapStyle heat;
  /// The query, in fractions of the part of the picture that the network saw.
  std::optional<QPointF> query;
  bool colorBar = true;
};

/// Where the parts of a panel lie.
struct HeadPanelLayout {
  QRectF title;
  QRectF image;
  QRectF colorBar;
};

/// The height of everything but the image.
double headPanelOverhead(const FigureStyle& style, bool colorBar);

/// Fits an image of `aspect` (width over height) with its title and colour bar into `place`, the
/// image at the top, centred.
HeadPanelLayout layoutHeadPanel(const QRectF& place, double aspect, bool colorBar,
                                const FigureStyle& style);

/// `picture` may be null: the heat map is then drawn alone.
void paintHeadPanel(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                    const CroppedPicture& picture, const FigureStyle& style);

/// A cross that can be seen on every picture, `size` wide, cut at the edges of `bounds` (by its
/// geometry: Qt writes no clipping into SVG).
void paintQueryMark(QPainter& painter, const QPointF& centre, double size, const QRectF& bounds,
                    double hairline);

/// `place` moved to whole device pixels, so that images are not resampled.
QRectF snapped(const QPainter& painter, const QRectF& place);

/// The size in device pixels that `place` covers.
QSize devicePixels(const QPainter& painter, const QRectF& place);

}  // namespace softscope
