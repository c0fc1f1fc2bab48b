#pragma once

#include "core/Progress.h"
#include "core/analysis/AnalysedLayer.h"
#include "core/analysis/bottleneck/NystromForm.h"
#include "core/array/Npz.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/LandmarkChoice.h"
#include "core/query/QueriedLayer.h"

#include <string>
#include <vector>

namespace softscope {

/// The distance of one attention map from another of the same size.
struct ApproximationError {
  /// |S - S'| / |S|, Frobenius norms.
  double relativeFrobenius = 0;
  /// The least |S - c S'| / |S| over all numbers c: tells whether S' is like S except for its
  /// scale. 1 if S' says nothing about S.
  double rescaledFrobenius = 0;
  /// The largest |S_ij - S'_ij|, and the query i and key j where it occurs.
  double largest = 0;
  int query = 0;
  int key = 0;
};

/// Measures `approximation` against `exact` for one head, e.g. SOFT's Nyström form against the
/// Gaussian kernel of the same queries (Eq. 5 of "SOFT: Softmax-free Transformer with Linear
/// Complexity", 2021, arXiv 2110.11945). Streams the rows in O(queries keys) time and O(keys)
/// memory; reports progress, may throw Cancelled. Throws InspectionError if the maps' sizes differ.
ApproximationError approximationError(const AttentionMap& exact, const AttentionMap& approximation,
                                      int head, const Progress& progress = {});

/// One head's exact kernel and its approximations, or the reason why there are none.
struct HeadApproximation {
  AnalysedLayer of;
  int head = 0;
  /// P V P^T; then SOFT++'s attention, if the landmarks are the network's own; and, once errors
  /// were computed, P A^+ P^T.
  std::vector<NystromForm> forms;
  /// The error of each form against the exact kernel; empty until errors are computed.
  std::vector<ApproximationError> errors;
  std::string obstacle;
  /// The landmarks that approximate the kernel; Trained for those that the network ran with.
  LandmarkChoice landmarks = {};

  const AttentionMap& exact() const { return *of.layer().exactKernel; }
  /// Returns the number of landmarks of the forms.
  int landmarkCount() const { return forms.front().map->description().landmarks.value_or(0); }
  /// Returns the error of the form with `middle` between its outer factors; null if there is none.
  const ApproximationError* errorWith(NystromForm::Middle middle) const;
};

/// Returns the approximations of `heads` of each layer (all heads if empty), with the landmarks
/// that the network ran with and without errors. A layer that approximates nothing, or lacks one of
/// the heads, gets a single entry with its obstacle instead.
std::vector<HeadApproximation> approximationsOf(const std::vector<AnalysedLayer>& layers,
                                                const std::vector<int>& heads);

/// Returns the layers that approximate a kernel, each once.
std::vector<AnalysedLayer> approximatedLayers(const std::vector<HeadApproximation>& approximations);

/// Returns the approximations with errors, and with other landmarks of the same queries and keys if
/// `landmarks` asks for them. Landmarks are replaced layer by layer; the rest of the network stays
/// as it ran. A layer that has no such landmarks gets its obstacle. Streams every entry of every
/// head: O(queries keys) time, O(keys) memory. May throw Cancelled.
std::vector<HeadApproximation> computeApproximations(const std::vector<AnalysedLayer>& layers,
                                                     const std::vector<int>& heads,
                                                     const LandmarkChoice& landmarks = {},
                                                     const Progress& progress = {});

/// Returns the answer of every map to a query: the exact kernel's row, then those of the forms.
QueriedLayer askApproximation(const HeadApproximation& approximation, const PictureQuery& query,
                              const PictureExtent& seen);

/// Returns the arrays of every head. Rows are [height, width]: `MODEL.LAYER.head_N.exact.row_R_C`
/// and `.nystrom.row_R_C` (for SOFT++ also `.attention.row_R_C`), and `.exact_inverse.row_R_C` for
/// P A^+ P^T. Errors are [1]: `.approximation_relative_frobenius`,
/// `.approximation_rescaled_frobenius` and `.approximation_largest` for the Nyström form,
/// `.attention_...` for SOFT++'s attention, `.exact_inverse_...` for P A^+ P^T.
NamedArrays approximationArrays(const std::vector<HeadApproximation>& approximations,
                                const std::vector<PictureQuery>& queries, const Picture* picture);

}  // namespace softscope
