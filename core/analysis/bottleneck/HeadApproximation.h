#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/ApproximationError.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/array/Npz.h"
#include "core/attention/LandmarkChoice.h"
#include "core/query/QueriedLayer.h"

#include <string>
#include <vector>

namespace softscope {

/// One head's exact kernel and what it is approximated by, or why there is no such thing.
struct HeadApproximation {
  AnalysedLayer of;
  int head = 0;
  /// P V P^T, of the network's own landmarks SOFT++'s attention after it, and, once errors were
  /// computed, P A^+ P^T.
  std::vector<NystromForm> forms;
  /// How far each is from the exact kernel; empty before they were computed.
  std::vector<ApproximationError> errors;
  std::string obstacle;
  /// Which landmarks approximate the kernel; Trained for those that the network ran with.
  LandmarkChoice landmarks = {};

  const AttentionMap& exact() const { return *of.layer().exactKernel; }
  /// How many landmarks the forms have.
  int landmarkCount() const { return forms.front().map->description().landmarks.value_or(0); }
  /// The error of the form with that between its outer factors; null where there is none.
  const ApproximationError* errorWith(NystromForm::Middle middle) const;
};

/// Of `heads` of each layer, all where none are named, with the landmarks that the network ran with
/// and without errors. A layer that approximates nothing, or has no such head, gets its obstacle
/// instead, once.
std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads);

/// The layers among them that approximate a kernel, each once.
std::vector<AnalysedLayer> approximatedLayers(const std::vector<HeadApproximation>& approximations);

/// With errors, and with other landmarks of the same queries and keys where they are chosen: layer
/// by layer, the rest of the network being as it ran. A layer that has no such landmarks gets its
/// obstacle. Streams every entry of every head: O(queries keys) time, O(keys) memory. May throw
/// Cancelled.
std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const LandmarkChoice& landmarks = {},
                                                     const Progress& progress = {});

/// What every map answers to a query: the exact kernel's row, then those of the forms.
QueriedLayer askApproximation(const HeadApproximation& approximation, const PictureQuery& query,
                              const PictureExtent& seen);

/// Per head `MODEL.LAYER.head_N.exact.row_R_C` and `.nystrom.row_R_C` (for SOFT++
/// `.attention.row_R_C` too), [height, width], and `.exact_inverse.row_R_C` of P A^+ P^T;
/// `.approximation_relative_frobenius`, `.approximation_rescaled_frobenius` and
/// `.approximation_largest` of the Nystrom form, `.attention_...` of SOFT++'s attention,
/// `.exact_inverse_...` of P A^+ P^T, [1].
NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<PictureQuery>& queries, const Picture* picture);

}  // namespace softscope
