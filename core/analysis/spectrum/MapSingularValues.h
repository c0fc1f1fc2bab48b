#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/SpectrumValues.h"

#include <optional>

namespace softscope {

/// All singular values of one head, without the eigenvalues that a Spectrum has beside them: of
/// factors from the factors, of other maps densely up to `denseTokens` on the smaller side, where
/// that takes some milliseconds. Nothing above. Throws InspectionError for entries that are not
/// finite; may throw Cancelled.
std::optional<SpectrumValues> allSingularValues(const AttentionMap& map, int head,
                                                const Progress& progress = {},
                                                int denseTokens = 512);

/// The largest singular value alone: by Lanczos' method where not all are found, right to 1e-6.
double largestSingularValue(const AttentionMap& map, int head, const Progress& progress = {});

/// The sum of the squares of all entries of one head, in one pass over its rows.
double squaredFrobeniusNorm(const AttentionMap& map, int head, const Progress& progress = {});

}  // namespace softscope
