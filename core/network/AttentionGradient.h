#pragma once

#include "core/Progress.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/network/Recorder.h"

#include <Eigen/Core>
#include <torch/types.h>

namespace softscope {

// A layer's heads compute O = A V, and a logit y depends on A through O alone. With G = ∂y/∂O,
//
//   ∂y/∂A_ij = Σ_b ∂y/∂O_ib V_jb = (G V^T)_ij,
//
// whose rank is at most d', the width of V, whatever A is: G and V say all of it. For a factored
// map A = L R^T of rank r, where L includes the middle factor,
//
//   (A ∘ ∂y/∂A)_ij = Σ_a L_ia R_ja Σ_b G_ib V_jb = Σ_ab (L_ia G_ib) (R_ja V_jb),
//
// a sum of r d' products of factors. A row of it is the entrywise product of two rows, in O(n (r +
// d')). A weighted sum of all its rows needs no row at all:
//
//   Σ_i w_i (A ∘ ∂y/∂A)_ij = Σ_b (R L^T diag(w) G)_jb V_jb,
//
// in O(n r d'). Positive parts and magnitudes are not linear, so their rows are computed, in
// strips: O(n^2 (r + d')) time, and memory that grows with n. Nothing of size n x n is stored in
// either case.
//
// A softmax has positive entries, where the sign of A ∘ ∂y/∂A is that of the gradient: the positive
// part holds the weights whose growth raises y. An entry of a signed map may be negative. There the
// product is positive where growth in magnitude raises y: scaling the entry by 1 + t changes y by t
// times the product, whatever the sign of A. So the positive part holds the entries that speak for
// the class as they stand, the magnitude those that matter in either direction, and the signed sum
// lets them cancel.

/// Returns rows of A of each head for the queries `rows` [k]: [heads, k, keys].
torch::Tensor attentionRows(const AttentionRecord& record, const torch::Tensor& rows);

/// Returns [keys] Σ_i w_i times the mean over heads of the entries of A ∘ (G V^T), for `gradient` G
/// [heads, queries, d'] and `weights` w [queries]. Throws InspectionError if V was not recorded,
/// and Cancelled.
Eigen::VectorXd weightedEntries(const AttentionRecord& record, const torch::Tensor& gradient,
                                const Eigen::VectorXd& weights, AttentionEntries entries,
                                const Progress& progress = {});

/// Returns [keys] the mean over heads and queries of the entries of G V^T; throws like
/// weightedEntries().
Eigen::VectorXd meanGradientEntries(const AttentionRecord& record, const torch::Tensor& gradient,
                                    AttentionEntries entries, const Progress& progress = {});

}  // namespace softscope
