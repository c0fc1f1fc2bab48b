#pragma once

#include "core/query/AttentionValues.h"
#include "widgets/query/ValueRange.h"

#include <string>
#include <vector>

namespace softscope {

class Workspace;

/// One layer of the wall of heads: every head's answer to the present query.
struct HeadWallRow {
  std::string layer;
  /// The answers of all heads, in their order; empty if the layer cannot answer at once, because
  /// the columns of its softmax have not been added up.
  std::vector<AttentionValues> answers;
  /// The range of each answer, chosen by the view's normalisation among the heads of the layer.
  std::vector<ValueRange> ranges;
};

/// Returns what every head of every layer of the current model answers to the query, under the map
/// and the direction that are chosen. Empty before an inspection.
std::vector<HeadWallRow> headWall(const Workspace& workspace);

}  // namespace softscope
