#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/AttentionMap.h"
#include "core/attention/FactoredMap.h"
#include "core/linalg/Eigenvalues.h"

#include <optional>

namespace softscope {

/// Returns the singular values of one head of a BlockMap whose keys each stand in one block: the
/// values of all blocks together, since rows and columns can be sorted to make the matrix
/// block-diagonal. Empty for other maps, and for blocks of more than `denseTokens` on the smaller
/// side. Throws InspectionError for entries that are not finite; may throw Cancelled.
std::optional<SpectrumValues> blockSingularValues(const AttentionMap& map, int head,
                                                  int denseTokens, const Progress& progress);

/// Returns the eigenvalues of one head of a BlockMap whose blocks are each among the same queries
/// and keys, which are those of all blocks together. Empty for other maps, and for blocks whose
/// eigenvalues would not all be found.
std::optional<Eigenvalues> blockEigenvalues(const AttentionMap& map, int head,
                                            const SpectrumOptions& options,
                                            const Progress& progress);

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
