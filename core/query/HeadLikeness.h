#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// Returns how alike a head's rows are, regardless of their sizes: the mean correlation of two rows
/// over all pairs of queries. With u_i as row i less its mean, divided by its norm, this is |mean_i
/// u_i|^2, in [0, 1]. It is 1 if every row is the same pattern times a positive factor, as in a
/// matrix of rank one; the line score is lower there, since it counts the factors as variation. A
/// row whose entries are all equal is like no other; empty if all rows are. Factored maps take O(n
/// r^2), others one pass over their rows. May throw Cancelled.
std::optional<double> answerLikeness(const AttentionMap& map, int head,
                                     const Progress& progress = {});

/// How alike a head's answers to different queries are; empty if that is not defined.
struct HeadLikeness {
  /// Share of the matrix's variance that is the same for every query.
  std::optional<double> lineScore;
  /// Mean correlation of two answers, regardless of their sizes.
  std::optional<double> rows;
};

/// The likeness of each head of a map; null if it is not known.
using SharedLikeness = std::shared_ptr<const std::vector<HeadLikeness>>;

/// True if likeness is defined for a map and takes no more than a second or two; a kernel needs two
/// passes over all of its entries.
bool canCompareAnswers(const AttentionDescription& attention);

/// Returns the likeness of each head of a map. May throw Cancelled.
std::vector<HeadLikeness> headLikeness(const AttentionMap& map, const Progress& progress = {});

/// Returns `almost the same for every query` for a head with such a line score; `same pattern for
/// every query` if only the sizes of the answers differ, which a colour range per answer hides;
/// otherwise an empty string.
std::string sameAnswerText(const HeadLikeness& likeness);

}  // namespace softscope
