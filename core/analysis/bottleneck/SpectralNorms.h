#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

#include <cmath>

namespace softscope {

/// Spectral norms of one head with an inverse V of its bottleneck matrix A, without and with
/// SOFT++'s normalisation on the same weights (Propositions 4 to 6 of "Softmax-free Linear
/// Transformers", 2024, arXiv 2207.03341). D holds A's row sums. NaN for norms that do not exist.
struct SpectralNorms {
  double attention = 0;            ///< |P V P^T|: SOFT's attention
  double attentionNormalised = 0;  ///< |P D^-1/2 V D^-1/2 P^T|: SOFT++'s
  double inverse = 0;              ///< |V|, of the mechanism inspected
  double inverseNormalised = 0;    ///< |D^-1/2 V D^-1/2|
  /// |P|^2 |V| >= |P V P^T| (SOFT++'s Eq. 15), with V as in `attention`; `boundNormalised` is the
  /// same for D^-1/2 V D^-1/2. |P| |R| takes the place of |P|^2 if the outer factors differ.
  double bound = 0;
  double boundNormalised = 0;
  /// Ratio of the largest to the smallest singular value of V, dropped ones not counted; infinite
  /// for a singular V.
  double condition = 0;

  /// True if there are normalised norms, as the Gaussian kernel of SOFT and SOFT++ has them.
  bool isNormalised() const { return !std::isnan(inverseNormalised); }
};

/// The norms with two ways to obtain an inverse.
struct ReleasedAndExactNorms {
  /// Norms with V as the released code leaves it: for SOFT the inverse of A + 0.01 I, for the
  /// normalised norms the result of SOFT++'s own iteration, which starts elsewhere and damps
  /// nothing. For the mechanism inspected, V is the inverse that the network computed.
  /// Nyströmformer has its own V, and no normalised norms.
  SpectralNorms released;
  /// V = pinv(A) in float64, for both; the normalised norms are absent where `released` has none.
  SpectralNorms exact;
  /// True if A and P were recorded in float64. Otherwise they were rounded to float32, and the
  /// smallest eigenvalues, which the exact norms depend on, may be that rounding.
  bool isPrecise = false;
  int rank = 0;  ///< eigenvalues of A that pinv kept
};

/// Returns the norms of one head. pinv drops eigenvalues below `rcond` times the largest. P is read
/// once, in strips, and never squared; for Nyströmformer its left and right factors take the places
/// of P and P^T. Throws InspectionError if there is no bottleneck matrix; may throw Cancelled.
ReleasedAndExactNorms spectralNorms(const LayerInspection& layer, int head, double rcond = 1e-12,
                                    const Progress& progress = {});

}  // namespace softscope
