#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/SpectrumOptions.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/Eigenvalues.h"

#include <vector>

namespace softscope {

// The spectrum of L M R^T, computed from matrices of the factors' width r, exactly and in float64:
// at most min(queries, keys, r) values, never padded with zeros.

/// Returns the eigenvalues of a map L M L^T, whose outer factors are one matrix; M is replaced by
/// its symmetric part. Their magnitudes are the map's singular values. If M has no negative
/// eigenvalue (M = W W^T), they are the eigenvalues of W^T (L^T L) W; otherwise those of R M R^T
/// with L = Q R.
Eigenvalues symmetricFactoredEigenvalues(const FactoredMap& map, int head,
                                         const Progress& progress);

/// Returns the singular values: those of R1 M R2^T with L = Q1 R1 and R = Q2 R2.
SpectrumValues factoredSingularValues(const FactoredMap& map, int head, const Progress& progress);

/// Returns the eigenvalues of a square map: those of M R^T L or, if r exceeds n, of L M R^T.
Eigenvalues factoredEigenvalues(const FactoredMap& map, int head, const SpectrumOptions& options,
                                const Progress& progress);

}  // namespace softscope
