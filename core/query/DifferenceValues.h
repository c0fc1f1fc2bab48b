#pragma once

#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"

#include <vector>

namespace softscope {

/// One head's answer, and the part of the picture that its patches cover.
struct LocatedValues {
  AttentionValues values;
  PictureRegion region;
};

/// Returns the answer resampled onto `grid` over `region`: every patch is the mean of the patches
/// it covers, weighted by area; NaN if it covers none.
LocatedValues resampled(const LocatedValues& from, const TokenGrid& grid,
                        const PictureRegion& region);

/// True if the patches of `second` are smaller than those of `first`.
bool isCoarser(const LocatedValues& first, const LocatedValues& second);

/// Returns `first` minus `second`, patch by patch, with the coarser one resampled onto the finer
/// one. If `normalised`, each is first divided by its largest magnitude. Throws InspectionError if
/// only one of the two lies on the picture, or if their numbers of values differ.
LocatedValues difference(const LocatedValues& first, const LocatedValues& second, bool normalised);

}  // namespace softscope
