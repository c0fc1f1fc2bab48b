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

/// What one panel of a grid of heads shows.
struct HeadPanel {
  QString title;
  /// Right of the title, muted: the class token's weight, or what the values are.
  QString note;
  /// Without values the panel is the picture itself, in its colours.
  AttentionValues values;
  ValueRange range;
  HeatmapStyle heat;
  /// [patches, 3] red, green and blue in [0, 1] in place of the values' colours; NaN lets the
  /// picture through. Empty for a heat map.
  Matrix colors;
  std::optional<QueryMark> query;
  /// Borders of patches, where the panel is of the picture.
  std::vector<PatchOutline> outlines;
  bool colorBar = true;
  /// The part of what the network saw that is shown, in fractions of it. Values that are not
  /// patches are shown whole.
  QRectF visible{0, 0, 1, 1};
};

/// Where the parts of a panel lie.
struct HeadPanelLayout {
  QRectF title;
  QRectF image;
  QRectF colorBar;
};

/// The height of everything but the image.
double headPanelOverhead(const FigureStyle& style, bool colorBar, bool title = true);

/// Fits an image of `aspect` (width over height) with its title and colour bar into `place`, the
/// image at the top, centred.
HeadPanelLayout layoutHeadPanel(const QRectF& place, double aspect, bool colorBar,
                                const FigureStyle& style, bool title = true);

/// `picture` may be null: the heat map is then drawn alone. Parts without a place are left out.
void paintHeadPanel(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                    const CroppedPicture& picture, const FigureStyle& style);

/// The title line alone, above something that is no panel's image.
void paintPanelTitle(QPainter& painter, const HeadPanelLayout& layout, const HeadPanel& panel,
                     const FigureStyle& style);

/// `place` moved to whole device pixels, so that images are not resampled.
QRectF snapped(const QPainter& painter, const QRectF& place);

/// The size in device pixels that `place` covers.
QSize devicePixels(const QPainter& painter, const QRectF& place);

}  // namespace softscope
