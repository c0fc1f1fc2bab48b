#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <optional>

namespace softscope {

/// How alike a head's rows are, whatever their sizes: the mean correlation of two of them, over all
/// pairs of queries. With u_i row i less its mean, over its norm, that is |mean_i u_i|^2, in [0,
/// 1]. 1 where every row is the same pattern times a positive factor, as rows of a matrix of rank
/// one are: a line score is less there, as it counts the factors as variation. A row whose entries
/// are all equal is like none; nothing where all rows are. Factored maps cost O(n r^2), others one
/// pass over their rows. May throw Cancelled.
std::optional<double> answerLikeness(const AttentionMap& map, int head,
                                     const Progress& progress = {});

}  // namespace softscope
