#pragma once

#include "core/attention/LandmarkTokens.h"
#include "core/inspect/Inspection.h"

#include <memory>
#include <vector>

namespace softscope {

/// A factored map derived from a layer's landmarks that takes the place of the exact kernel of its
/// queries and keys.
struct NystromForm {
  /// The matrix between the outer factors.
  enum class Middle {
    Released,    ///< V, the inverse of A that the released iteration made
    Normalised,  ///< D^(-1/2) V D^(-1/2): what SOFT++ attends with, no approximation of the kernel
    Exact,       ///< A^+, the pseudo-inverse of A, which no network computes
  };
  std::shared_ptr<const AttentionMap> map;
  Middle middle = Middle::Released;
};

/// Returns P V P^T with V the inverse of A that the iteration computed and P [queries, landmarks]
/// (P^T V P with the P of SOFT's Algorithm 1); for Nyströmformer K1 Z K3. The map shares the
/// attention's memory. For SOFT++ there is a second form, its attention. Throws InspectionError for
/// a layer without landmarks.
std::vector<NystromForm> nystromForms(const LayerInspection& layer);

/// Returns P A^+ P^T for the layer's own landmarks. P and A are used as recorded, in float32, so
/// singular values of A below its rounding count as zero. Throws like nystromForms().
NystromForm exactNystromForm(const LayerInspection& layer);

/// Returns the forms that other landmarks give for the exact kernel of the same queries and keys,
/// with everything else unchanged: P V P^T with as many steps as the mechanism's code takes, and P
/// A^+ P^T in float64. Their descriptions name the landmarks. Throws InspectionError for a layer
/// without landmarks or an exact kernel, and if there are fewer tokens than these landmarks are
/// made of.
std::vector<NystromForm> nystromFormsWith(const LayerInspection& layer,
                                          const LandmarkTokens& landmarks);

/// Returns the kernel that the first Nyström form approximates: for SOFT and SOFT++ the Gaussian
/// kernel of the queries (Eq. 5 of "SOFT: Softmax-free Transformer with Linear Complexity", 2021,
/// arXiv 2110.11945), for Nyströmformer the softmax of queries and keys. Throws InspectionError if
/// the layer approximates nothing.
const AttentionMap& exactKernelOf(const LayerInspection& layer);

}  // namespace softscope
