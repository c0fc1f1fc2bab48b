#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/OverviewAnalysis.h"
#include "core/analysis/Share.h"
#include "core/query/AttentionValues.h"
#include "widgets/figure/HeadsFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/ValueRange.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

class Workspace;

/// One layer of the wall of heads: every head's answer to the present query.
struct HeadWallRow {
  std::string layer;
  /// The mark of the query on the layer's own grid, which may be another than the chosen layer's;
  /// nothing if the query means no patch of this layer.
  std::optional<QueryMark> mark;
  /// The answers of all heads, in their order; empty if the layer cannot answer at once, because
  /// the columns of its softmax have not been added up.
  std::vector<AttentionValues> answers;
  /// The range of each answer, chosen by the view's normalisation among the heads of the layer.
  std::vector<ValueRange> ranges;
};

/// Returns what every head of every layer of the current model answers to the query, under the map
/// and the direction that are chosen. Empty before an inspection.
std::vector<HeadWallRow> headWall(const Workspace& workspace);

/// A number for each head of each layer: [layers][heads]; empty where a head has none.
using HeadNumbers = std::vector<std::vector<std::optional<double>>>;

/// Returns the sinks' shares or the line scores of all heads, for these two orders; nothing for the
/// others. May throw Cancelled.
HeadNumbers headNumbers(const std::vector<AnalysedLayer>& layers, HeadOrder order,
                        const Progress& progress = {});

/// Returns how much each head adds beside the residual stream; empty where a head has no such
/// number.
HeadNumbers sharesOfHeads(const ModelShare& share, const std::vector<HeadWallRow>& rows);

/// Returns the median of what the heads of a model add beside the residual stream.
double medianShare(const ModelShare& share);

/// Returns how strongly a head is drawn beside others: weakly if it adds less than the median head
/// of the model, but never so weakly that it could not be read.
double headStrength(const ModelShare& share, double median, const std::string& layer,
                    std::size_t head);

/// Returns the heads of a wall as the subject of a figure: those of the layers that show the chosen
/// map or, if none does, their attention. `orders` holds the heads of each row in the order of
/// their panels. Without layers before an inspection.
HeadsSubject wallSubject(const Workspace& workspace, const std::vector<HeadWallRow>& rows,
                         const std::vector<std::vector<int>>& orders);

/// Returns the heads of a layer by their numbers, the largest first and those without one last;
/// equals stay as they are. In their own order if there is not a number for each of `heads`.
std::vector<std::size_t> orderOfHeads(const std::vector<std::optional<double>>& numbers,
                                      std::size_t heads);

}  // namespace softscope
