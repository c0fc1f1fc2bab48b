#pragma once

#include "core/Progress.h"
#include "core/analysis/bottleneck/ApproximationError.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/array/Npz.h"
#include "core/image/Picture.h"
#include "widgets/figure/AnalysedLayer.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/paint/QueryMark.h"
#include "widgets/query/QueryToken.h"
#include "widgets/settings/ViewSettings.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// One head's exact kernel and what it is approximated by, or why there is no such thing.
struct HeadApproximation {
  AnalysedLayer of;
  int head = 0;
  /// P V P^T, and SOFT++'s attention after it.
  std::vector<NystromForm> forms;
  /// How far each is from the exact kernel; empty before they were computed.
  std::vector<ApproximationError> errors;
  std::string obstacle;

  const AttentionMap& exact() const { return *of.layer().exactKernel; }
};

/// Of `heads` of each layer, all where none are named, without their errors. A layer that
/// approximates nothing, or has no such head, gets its obstacle instead, once.
std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads);

/// Streams every entry of every head: O(queries keys) time, O(keys) memory. May throw Cancelled.
std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const Progress& progress = {});

/// The rows of one query over the picture: the exact kernel's, then what it is approximated by.
std::vector<HeadPanel> approximationPanels(const HeadApproximation& approximation,
                                           const MarkedQuery& query, const PictureExtent& seen,
                                           const ViewSettings& view);

/// What is seen, below the layer's name: which matrices, and how far apart they are.
QString approximationText(const HeadApproximation& approximation);

/// A block for each head of each layer and each query. `picture` may be null.
PanelFigure approximationFigure(const std::vector<HeadApproximation>& approximations,
                                const std::vector<MarkedQuery>& queries,
                                const std::shared_ptr<const Picture>& picture,
                                const ViewSettings& view);

/// Per head `MODEL.LAYER.head_N.exact.row_R_C` and `.nystrom.row_R_C` (for SOFT++
/// `.attention.row_R_C` too), [height, width]; `.approximation_relative_frobenius` and
/// `.approximation_largest` of the Nystrom form, `.attention_...` of SOFT++'s attention, [1].
NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<MarkedQuery>& queries,
                                const std::shared_ptr<const Picture>& picture);

}  // namespace softscope
