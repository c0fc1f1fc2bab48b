#pragma once

#include "core/image/Picture.h"
#include "core/query/QueriedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <string>
#include <vector>

namespace softscope {

/// The heads of some layers as overlays on one picture: a block of panels for each layer and each
/// query, the picture with the query first.
struct HeadsSubject {
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
  /// Every layer has it.
  ShownMap map = ShownMap::Attention;
  ViewSettings view;
  /// How alike the answers of each layer's heads are; empty where that is to be found out.
  std::vector<SharedLikeness> likeness;
};

/// Throws InspectionError for a head, a map or a colour map that is not there.
PanelFigure headsFigure(const HeadsSubject& subject);

/// What every layer answers to every query, for the numbers behind the figure.
std::vector<QueriedLayer> answersOf(const HeadsSubject& subject);

}  // namespace softscope
