#pragma once

#include "core/array/Npz.h"
#include "core/image/PreparedPicture.h"
#include "core/inspect/Inspection.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/ShownHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QRectF>
#include <QtCore/QSizeF>

#include <memory>
#include <string>
#include <vector>

class QPainter;

namespace softscope {

/// The heads of some layers as overlays on one picture: a block of panels for each layer and each
/// query, the picture with the query first.
struct HeadsFigure {
  /// May be null, for an input that was not a picture: heat maps then stand alone.
  std::shared_ptr<const Picture> picture;
  PictureRegion region;
  std::string modelName;
  /// Follows the mechanism in every caption, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  std::vector<LayerInspection> layers;
  std::vector<MarkedQuery> queries;
  ShownHeads shown;
  Direction direction = Direction::Rows;
  ViewSettings view;
  FigureSettings settings;
};

/// Width and height in millimetres. Throws InspectionError for a head or a colour map that is not
/// there, as do the others.
QSizeF headsFigureSize(const HeadsFigure& figure);

/// Fills `place` of any painter. Needs a QGuiApplication, for its letters.
void paintHeadsFigure(QPainter& painter, const QRectF& place, const HeadsFigure& figure);

/// The numbers behind the figure: per panel an array of the grid's height x width (or of tokens,
/// where they are not patches), named `LAYER.QUERY.head_N`, `LAYER.QUERY.mean` or `LAYER.QUERY.max`
/// with the layer's dots as underscores, heads counted from 0 and QUERY `row_R_C`, `column_R_C` or
/// `.._class`; where there are prefix tokens their values follow as `NAME.prefix`.
NamedArrays headsFigureArrays(const HeadsFigure& figure);

}  // namespace softscope
