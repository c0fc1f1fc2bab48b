#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/SpectrumOptions.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/Eigenvalues.h"

#include <vector>

namespace softscope {

// The spectrum of L M R^T from matrices of the factors' width r, exactly and in float64: at most
// min(queries, keys, r) values, never padded with zeros.

/// Eigenvalues of a map whose factors are one matrix, L M L^T, M taken as its symmetric part; their
/// magnitudes are its singular values. Where M has no negative eigenvalue, M = W W^T, they are
/// those of W^T (L^T L) W; otherwise of R M R^T with L = Q R.
Eigenvalues symmetricFactoredEigenvalues(const FactoredMap& map, int head,
                                         const Progress& progress);

/// Singular values: those of R1 M R2^T with L = Q1 R1 and R = Q2 R2.
SpectrumValues factoredSingularValues(const FactoredMap& map, int head, const Progress& progress);

/// Eigenvalues of a square map: those of M R^T L or, where r exceeds n, of L M R^T.
Eigenvalues factoredEigenvalues(const FactoredMap& map, int head, const SpectrumOptions& options,
                                const Progress& progress);

}  // namespace softscope
