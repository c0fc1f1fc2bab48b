#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

namespace softscope {

/// Spectral norms of one head, with inverses V of its bottleneck matrix A, without and with
/// SOFT++'s normalisation on the same weights (Propositions 4 to 6 of "Softmax-free Linear
/// Transformers", 2024, arXiv 2207.03341). D holds A's row sums. Not a number where there is no
/// such thing.
struct SpectralNorms {
  double attention = 0;            ///< |P V P^T|: SOFT's attention
  double attentionNormalised = 0;  ///< |P D^-1/2 V D^-1/2 P^T|: SOFT++'s
  double inverse = 0;              ///< |V|, of the mechanism inspected
  double inverseNormalised = 0;    ///< |D^-1/2 V D^-1/2|
  /// |P|^2 |V| >= |P V P^T| (SOFT++'s Eq. 15), V as in `attention`; and the same of
  /// D^-1/2 V D^-1/2. With |P| |R| for |P|^2 where the outer factors differ.
  double bound = 0;
  double boundNormalised = 0;
  /// Largest by smallest singular value of V, dropped ones not counted; infinite for a singular V.
  double condition = 0;
};

/// The norms with two ways to an inverse.
struct ReleasedAndExactNorms {
  /// V as the released code leaves it: SOFT's of A + 0.01 I, and for what is normalised SOFT++'s
  /// own iteration, which starts elsewhere and damps nothing. The one of the mechanism inspected is
  /// the one that the network computed. Nystromformer has its own V, and nothing normalised.
  SpectralNorms released;
  SpectralNorms exact;  ///< V = pinv(A) in float64, for both
  /// A and P were recorded in float64, too. Otherwise they were rounded to float32 before, and the
  /// smallest eigenvalues, which the exact norms hang on, may be that rounding.
  bool isPrecise = false;
  int rank = 0;  ///< eigenvalues of A that pinv kept
};

/// Of one head. pinv drops eigenvalues under `rcond` times the largest. P is read once, in strips,
/// and never squared; Nystromformer's left and right factors stand for P and P^T. Throws
/// InspectionError where there is no bottleneck matrix; may throw Cancelled.
ReleasedAndExactNorms spectralNorms(const LayerInspection& layer, int head, double rcond = 1e-12,
                                    const Progress& progress = {});

}  // namespace softscope
