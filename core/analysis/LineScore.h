#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <Eigen/Core>

#include <optional>

namespace softscope {

/// How much a head's matrix is made of vertical lines (Fig. 1 of "Rethinking Efficacy of Softmax
/// for Lightweight Non-local Neural Networks", 2022, arXiv 2207.13423): the share of the variance
/// of its entries that the means of its columns explain. 1 where every query attends alike, 0 where
/// every key is attended to equally on average; nothing for a matrix without variance, or of one
/// query, as class attention has.
struct LineScores {
  /// queries * sum_j (mean_j - mean)^2 / sum_ij (a_ij - mean)^2
  std::optional<double> raw;
  /// Of the matrix less its row means. Rows of a softmax have equal means by construction, others
  /// have not, and their variation dilutes the raw score: this one compares the two.
  std::optional<double> centred;
  /// [keys] mean_j, over queries.
  Eigen::VectorXd columnMeans;
};

/// All is centred before it is squared, so that a small variation about a large mean counts as
/// exactly as a large one. Factored maps cost O(n r^2), others one pass over their rows. May throw
/// Cancelled.
LineScores lineScores(const AttentionMap& map, int head, const Progress& progress = {});

}  // namespace softscope
