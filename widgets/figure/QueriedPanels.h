#pragma once

#include "core/query/QueriedLayer.h"
#include "widgets/paint/HeadPanel.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/ValueRange.h"
#include "widgets/settings/ViewSettings.h"

namespace softscope {

/// Width over height of an answer's panels: of what was seen, or of the grid without a picture.
double panelAspect(const Picture* picture, const PictureRegion& region,
                   const AttentionDescription& attention, Direction direction);

/// Follows in a caption what the panels are: what their colours do not tell (captionCaveats()),
/// each after a separator.
QString caveatsText(const QueriedLayer& asked, const std::vector<AttentionValues>& values);

/// The picture with the query on it.
HeadPanel picturePanel(const QueriedLayer& asked, const MarkedQuery& query);

/// One of its answers over the picture, with the query on it.
HeadPanel headPanel(const QueriedLayer& asked, const MarkedQuery& query,
                    const AttentionValues& values, const ValueRange& range,
                    const ViewSettings& view);

}  // namespace softscope
