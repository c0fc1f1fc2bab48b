#pragma once

#include "core/array/Npz.h"
#include "core/inspect/Inspection.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/query/AttentionValues.h"
#include "widgets/query/QueryToken.h"
#include "widgets/settings/ShownHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// One layer asked one query.
struct QueriedLayer {
  const LayerInspection* layer = nullptr;
  PictureExtent seen;
  MarkedQuery query;
  Direction direction = Direction::Rows;
  int token = 0;
  std::vector<AttentionValues> values;

  const AttentionDescription& attention() const { return layer->attention->description(); }
};

/// Throws InspectionError for a head that is not there.
QueriedLayer askLayer(const LayerInspection& layer, const PictureExtent& seen,
                      const MarkedQuery& query, Direction direction, const ShownHeads& heads);

/// The part of a picture that was seen; the whole of nothing without a picture.
PictureExtent extentOf(const std::shared_ptr<const Picture>& picture, const PictureRegion& region);

/// Width over height of an answer's panels: of what was seen, or of the grid without a picture.
double panelAspect(const Picture* picture, const PictureRegion& region,
                   const AttentionDescription& attention, Direction direction);

/// The picture with the query on it.
HeadPanel picturePanel(const QueriedLayer& asked);

HeadPanel headPanel(const QueriedLayer& asked, const AttentionValues& values,
                    const ValueRange& range, const ViewSettings& view);

/// `row_12_7`, `column_12_7`, `row_class`: the query in the name of an array.
std::string queryName(const QueriedLayer& asked);

/// A layer's name in the name of an array: underscores for dots.
std::string layerName(const LayerInspection& layer);

/// Adds a panel's numbers as `NAME.head_N`, `NAME.mean` or `NAME.max`, and `.prefix` after it for
/// the tokens before the patches. What is there already under that name is not added again; other
/// numbers under it get a number of their own.
void addArrays(NamedArrays& arrays, const std::string& name, const AttentionValues& values);

}  // namespace softscope
