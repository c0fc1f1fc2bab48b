#pragma once

#include "core/query/PictureQuery.h"
#include "core/query/QueryToken.h"

#include <cstddef>
#include <vector>

namespace softscope {

/// Returns the ends of a straight path from the left to the right of what the network sees, at the
/// height of `query`.
std::vector<PictureQuery> pathAcross(const PictureExtent& extent, const PictureQuery& query);

/// Returns `count` places, two or more, along the lines that join `corners`, at equal distances on
/// the picture from the first corner to the last.
std::vector<PictureQuery> placesAlong(const std::vector<PictureQuery>& corners,
                                      const PictureExtent& extent, std::size_t count);

/// Returns a place for each patch that the lines between `corners` pass through, in their order.
/// Throws InspectionError for a layer whose tokens (for Direction::Columns, whose keys) are not
/// patches.
std::vector<PictureQuery> patchesAlong(const std::vector<PictureQuery>& corners,
                                       const AttentionDescription& attention,
                                       const PictureExtent& extent, Direction direction);

/// Returns the places of a query that moves through `corners`, or across what the network sees at
/// the height of the only one: `count` of them, or for 0 one for each patch. Throws like
/// patchesAlong().
std::vector<PictureQuery> sweptPlaces(std::vector<PictureQuery> corners, int count,
                                      const AttentionDescription& attention,
                                      const PictureExtent& extent, Direction direction);

}  // namespace softscope
