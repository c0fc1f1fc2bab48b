#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/linalg/Eigenvalues.h"

#include <optional>

namespace softscope {

/// Returns all singular values of one head, without the eigenvalues that a Spectrum also has: from
/// the factors of factored maps, block by block within windows, and densely for other maps of up to
/// `denseTokens` on the smaller side, where that takes some milliseconds. Empty for larger ones.
/// Throws InspectionError for entries that are not finite; may throw Cancelled.
std::optional<SpectrumValues> allSingularValues(const AttentionMap& map, int head,
                                                const Progress& progress = {},
                                                int denseTokens = 512);

/// Returns only the largest singular value, to an accuracy of 1e-6; found by Lanczos' method if
/// allSingularValues() is empty.
double largestSingularValue(const AttentionMap& map, int head, const Progress& progress = {});

/// Returns the sum of the squares of all entries of one head, in one pass over its rows.
double squaredFrobeniusNorm(const AttentionMap& map, int head, const Progress& progress = {});

}  // namespace softscope
