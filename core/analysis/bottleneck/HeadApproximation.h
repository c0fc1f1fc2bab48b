#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/ApproximationError.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/array/Npz.h"
#include "core/query/QueriedLayer.h"

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

/// What every map answers to a query: the exact kernel's row, then those of the forms.
QueriedLayer askApproximation(const HeadApproximation& approximation, const PictureQuery& query,
                              const PictureExtent& seen);

/// Per head `MODEL.LAYER.head_N.exact.row_R_C` and `.nystrom.row_R_C` (for SOFT++
/// `.attention.row_R_C` too), [height, width]; `.approximation_relative_frobenius` and
/// `.approximation_largest` of the Nystrom form, `.attention_...` of SOFT++'s attention, [1].
NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<PictureQuery>& queries, const Picture* picture);

}  // namespace softscope
