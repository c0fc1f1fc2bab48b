#pragma once

#include "core/Progress.h"
#include "core/analysis/spectrum/SpectrumOptions.h"
#include "core/attention/AttentionMap.h"
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

}  // namespace softscope
