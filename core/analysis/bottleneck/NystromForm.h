#pragma once

#include "core/inspect/Inspection.h"

#include <memory>
#include <vector>

namespace softscope {

/// What a layer computes in place of the exact kernel of its queries and keys.
struct NystromForm {
  std::shared_ptr<const AttentionMap> map;
  /// SOFT++'s D^(-1/2) stands on both sides of the inverse: no longer an approximation of the
  /// kernel, but what multiplies V.
  bool normalised = false;
};

/// P V P^T, V the inverse of A that the iteration made and P [queries, landmarks] (P^T V P with the
/// P of SOFT's Algorithm 1); for Nystromformer K1 Z K3. It shares the attention's memory. SOFT++
/// has a second one, its attention. Throws InspectionError for a layer without landmarks.
std::vector<NystromForm> nystromForms(const LayerInspection& layer);

/// What the first of them approximates: the Gaussian kernel of the queries (Eq. 5 of "SOFT:
/// Softmax-free Transformer with Linear Complexity", 2021, arXiv 2110.11945) for SOFT and SOFT++,
/// the softmax of queries and keys for Nystromformer. Throws InspectionError where the layer
/// approximates nothing.
const AttentionMap& exactKernelOf(const LayerInspection& layer);

}  // namespace softscope
