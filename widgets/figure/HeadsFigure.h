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

/// The content of a figure of heads: the heads of some layers as overlays on one picture, with a
/// block of panels for each layer and query, starting with the picture and the query on it.
struct HeadsSubject {
  /// The picture; null for an input that was not a picture: heat maps are then drawn alone.
  std::shared_ptr<const Picture> picture;
  PictureRegion region;
  std::string modelName;
  /// Note that follows the mechanism in every caption, e.g. `not what was trained`; may be empty.
  std::string mechanismNote;
  std::vector<LayerInspection> layers;
  std::vector<MarkedQuery> queries;
  ShownHeads shown;
  /// The heads of each layer in the order of their panels; empty for the heads of `shown`.
  std::vector<std::vector<int>> orders;
  /// Says by what `orders` sorts heads, in every caption; may be empty.
  std::string orderNote;
  Direction direction = Direction::Rows;
  /// The map to show; every layer must have it.
  ShownMap map = ShownMap::Attention;
  ViewSettings view;
  /// How alike the answers of each layer's heads are; computed if empty.
  std::vector<SharedLikeness> likeness;
};

/// Throws InspectionError for a head, a map or a colour map that does not exist.
PanelFigure headsFigure(const HeadsSubject& subject);

/// Returns what every layer answers to every query, for the numbers behind the figure.
std::vector<QueriedLayer> answersOf(const HeadsSubject& subject);

}  // namespace softscope
