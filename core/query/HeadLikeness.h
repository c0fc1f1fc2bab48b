#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// How alike a head's answers are; nothing where that is not defined.
struct HeadLikeness {
  /// The share of the matrix's variance that is the same for every query.
  std::optional<double> lineScore;
  /// The mean correlation of two answers, whatever their sizes.
  std::optional<double> rows;
};

/// Of each head of a map; null where it is not known.
using SharedLikeness = std::shared_ptr<const std::vector<HeadLikeness>>;

/// Whether likeness is defined for a map, and found out within a second or two: a kernel takes two
/// passes over all of its entries.
bool canCompareAnswers(const AttentionDescription& attention);

/// The likeness of each head of a map. May throw Cancelled.
std::vector<HeadLikeness> headLikeness(const AttentionMap& map, const Progress& progress = {});

/// `almost the same for every query` of a head whose line score says so; `same pattern for every
/// query` where only the answers' sizes differ, which a range of each answer's own does not show;
/// else nothing.
std::string sameAnswerText(const HeadLikeness& likeness);

}  // namespace softscope
