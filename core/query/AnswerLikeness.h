#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// Returns how alike a head's rows are, regardless of their sizes: the mean correlation of two rows
/// over all pairs of queries. With u_i as row i less its mean, divided by its norm, this is |mean_i
/// u_i|^2, in [0, 1]. It is 1 if every row is the same pattern times a positive factor, as in a
/// matrix of rank one; the line score is lower there, since it counts the factors as variation. A
/// row whose entries are all equal is like no other; empty if all rows are. Factored maps take O(n
/// r^2), others one pass over their rows. May throw Cancelled.
std::optional<double> answerLikeness(const AttentionMap& map, int head,
                                     const Progress& progress = {});

}  // namespace softscope
