#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/paint/FigureStyle.h"
#include "widgets/paint/HeatmapImage.h"
#include "widgets/paint/PatchOutline.h"
#include "widgets/paint/PictureImage.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/ValueRange.h"

#include <QtCore/QRectF>
#include <QtCore/QString>

#include <optional>
#include <vector>

class QPainter;

namespace softscope {

/// The content of one panel in a grid of heads.
struct HeadPanel {
  QString title;
  /// A note right of the title, less prominent: the class token's weight, or what the values are.
  QString note;
  /// The values to draw; without any, the panel shows the picture itself, in colour.
  AttentionValues values;
  ValueRange range;
  HeatmapStyle heat;
  /// Colours drawn instead of the values' colours: `[patches, 3]`, red, green and blue in [0, 1];
  /// NaN lets the picture show through. Empty for a heat map.
  Matrix colors;
  std::optional<QueryMark> query;
  /// Marks of pinned queries, each with its letter.
  std::vector<QueryMark> pins;
  /// Borders of patches, if the panel shows the picture.
  std::vector<PatchOutline> outlines;
  bool colorBar = true;
  /// True if places on the panel can be asked about, because it shows the picture that queries are
  /// on.
  bool asks = true;
  /// The part shown, in fractions of what the network saw. Values that are not patches are always
  /// shown in full.
  QRectF visible{0, 0, 1, 1};
};

/// The rectangles of a panel's parts.
struct HeadPanelLayout {
  QRectF title;
  QRectF image;
  QRectF colorBar;
};

/// Returns the height of everything but the image.
double headPanelOverhead(const FigureStyle& style, bool colorBar, bool title = true);

/// Fits a panel into `place`: an image of `aspect` (width over height) at the top, centred, with
/// its title and colour bar.
HeadPanelLayout layoutHeadPanel(const QRectF& place, double aspect, bool colorBar,
                                const FigureStyle& style, bool title = true);

/// Draws a panel. `picture` may be null: the heat map is then drawn alone. Parts whose rectangle in
/// `layout` is empty are left out.
void paintHeadPanel(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                    const CroppedPicture& picture, const FigureStyle& style);

/// Draws only the title line, e.g. above something other than a panel's image.
void paintPanelTitle(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                     const FigureStyle& style);

/// Returns `place` aligned to whole device pixels, so that images are not resampled.
QRectF snapped(const QPainter& painter, const QRectF& place);

/// Returns the size of `place` in device pixels.
QSize devicePixels(const QPainter& painter, const QRectF& place);

}  // namespace softscope
