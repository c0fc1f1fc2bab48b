#pragma once

#include "core/Progress.h"
#include "core/inspect/Inspection.h"

namespace softscope {

/// Spectral norms of one head with one inverse V of its bottleneck matrix A, without and with
/// SOFT++'s normalisation on the same weights (Propositions 4 to 6 of "Softmax-free Linear
/// Transformers", 2024, arXiv 2207.03341). D holds A's row sums.
struct SpectralNorms {
  double attention = 0;            ///< |P V P^T|: SOFT's attention
  double attentionNormalised = 0;  ///< |P D^-1/2 V D^-1/2 P^T|: SOFT++'s
  double inverse = 0;              ///< |V|
  double inverseNormalised = 0;    ///< |D^-1/2 V D^-1/2|
  /// Largest by smallest singular value of V, dropped ones not counted; infinite for a singular V.
  double condition = 0;
};

/// Spectral norms of a head with each of the two inverses V that there are.
struct ReleasedAndExactNorms {
  SpectralNorms released;  ///< V as the code's iteration left it, of the mechanism inspected
  SpectralNorms exact;     ///< V = pinv(A) in float64
  int rank = 0;            ///< eigenvalues of A that pinv kept
};

/// Of one head. pinv drops eigenvalues under `rcond` times the largest. P is read once, in strips,
/// and never squared; Nystromformer's left and right factors stand for P and P^T. Throws
/// InspectionError where there is no bottleneck matrix; may throw Cancelled.
ReleasedAndExactNorms spectralNorms(const LayerInspection& layer, int head, double rcond = 1e-12,
                                    const Progress& progress = {});

}  // namespace softscope
