#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"

#include <Eigen/Core>

#include <optional>

namespace softscope {

/// How much of a head's matrix consists of vertical lines (Fig. 1 of "Rethinking Efficacy of
/// Softmax for Lightweight Non-local Neural Networks", 2022, arXiv 2207.13423): the share of the
/// variance of its entries that the means of its columns explain. 1 if all queries attend alike, 0
/// if every key receives equal attention on average; empty for a matrix without variance, or with a
/// single query, as in class attention; NaN if an entry is not finite.
struct LineScores {
  /// queries * sum_j (mean_j - mean)^2 / sum_ij (a_ij - mean)^2
  std::optional<double> raw;
  /// The score of the matrix less its row means. Rows of a softmax have equal means by
  /// construction; those of other mechanisms have not, and their variation dilutes the raw score.
  /// This score makes the two comparable.
  std::optional<double> centred;
  /// [keys] mean_j, the mean over queries.
  Eigen::VectorXd columnMeans;
};

/// Returns the scores of one head. All numbers are centred before they are squared, so that a small
/// variation about a large mean is as exact as a large one. Factored maps take O(n r^2), others one
/// pass over their rows. May throw Cancelled.
LineScores lineScores(const AttentionMap& map, int head, const Progress& progress = {});

}  // namespace softscope
