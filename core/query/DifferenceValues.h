#pragma once

#include "core/query/AttentionValues.h"
#include "core/query/QueryToken.h"

#include <vector>

namespace softscope {

/// What one head answered, and the part of the picture its patches cover.
struct LocatedValues {
  AttentionValues values;
  PictureRegion region;
};

/// The answer as it lies on `grid` over `region`: every patch the mean of what it covers, weighted
/// by area; not a number where it covers nothing.
LocatedValues resampled(const LocatedValues& from, const TokenGrid& grid,
                        const PictureRegion& region);

/// True where the patches of `second` are smaller than those of `first`.
bool isCoarser(const LocatedValues& first, const LocatedValues& second);

/// `first` minus `second`, patch by patch, the coarser resampled onto the finer. Where asked for,
/// each is divided by its largest magnitude before. Throws InspectionError where the values of one
/// lie on the picture and the other's do not, or where they are not as many.
LocatedValues difference(const LocatedValues& first, const LocatedValues& second, bool normalised);

}  // namespace softscope
