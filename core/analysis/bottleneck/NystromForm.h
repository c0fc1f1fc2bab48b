#pragma once

#include "core/attention/LandmarkTokens.h"
#include "core/inspect/Inspection.h"

#include <memory>
#include <vector>

namespace softscope {

/// What stands in the place of the exact kernel of a layer's queries and keys.
struct NystromForm {
  /// What is between the outer factors.
  enum class Middle {
    Released,    ///< V, the inverse of A that the released iteration made
    Normalised,  ///< D^(-1/2) V D^(-1/2): what SOFT++ attends with, no approximation of the kernel
    Exact,       ///< A^+, the pseudo-inverse of A, which no network computes
  };
  std::shared_ptr<const AttentionMap> map;
  Middle middle = Middle::Released;
};

/// P V P^T, V the inverse of A that the iteration made and P [queries, landmarks] (P^T V P with the
/// P of SOFT's Algorithm 1); for Nystromformer K1 Z K3. It shares the attention's memory. SOFT++
/// has a second one, its attention. Throws InspectionError for a layer without landmarks.
std::vector<NystromForm> nystromForms(const LayerInspection& layer);

/// P A^+ P^T of the layer's own landmarks. P and A are as they were recorded, in float32, so that
/// singular values of A below its rounding count as zero. Throws as nystromForms().
NystromForm exactNystromForm(const LayerInspection& layer);

/// What other landmarks make of the exact kernel of the same queries and keys, nothing else being
/// changed: P V P^T with as many steps as the mechanism's code takes, and P A^+ P^T in float64. Its
/// description names the landmarks. Throws InspectionError for a layer without landmarks or an
/// exact kernel, and where there are fewer tokens than these landmarks are made of.
std::vector<NystromForm> nystromFormsWith(const LayerInspection& layer,
                                          const LandmarkTokens& landmarks);

/// What the first of them approximates: the Gaussian kernel of the queries (Eq. 5 of "SOFT:
/// Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945) for SOFT and SOFT++,
/// the softmax of queries and keys for Nystromformer. Throws InspectionError where the layer
/// approximates nothing.
const AttentionMap& exactKernelOf(const LayerInspection& layer);

}  // namespace softscope
