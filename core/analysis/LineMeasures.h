#pragma once

#include "core/Progress.h"
#include "core/attention/AttentionMap.h"
#include "core/inspect/Inspection.h"

#include <Eigen/Core>

#include <array>
#include <optional>

namespace softscope {

/// Two possible explanations of a head's vertical lines: Pearson's correlation, over its keys j, of
/// the column means with each of two quantities. Each is in [-1, 1], and empty if one of the two
/// sides does not vary.
struct LineCauses {
  /// Correlation with |phi_j|: the keys' magnitude, which "Rethinking Efficacy of Softmax for
  /// Lightweight Non-Local Neural Networks" (2022, arXiv 2207.13423, section 3.2) names.
  std::optional<double> keyNorm;
  /// Correlation with mean_i(theta_i) . phi_j: a direction that the queries share.
  std::optional<double> queryDirection;
};

/// Returns the correlations for a head with these column means [keys]. theta and phi are the
/// queries and keys from which the matrix, or the kernel that it approximates, is computed; for
/// linear attention they are the factors themselves, after their feature map. Empty if neither is
/// made of queries and keys, as for Linformer and Agent attention, whose factors are weights to and
/// from a few tokens in place of all.
std::optional<LineCauses> lineCauses(const LayerInspection& layer, int head,
                                     const Eigen::VectorXd& columnMeans);

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

/// Measures of a head's vertical lines; see LineScores and LineCauses.
struct LineMeasures {
  std::optional<double> score;
  std::optional<double> centredScore;
  std::optional<double> keyNormCorrelation;
  std::optional<double> queryDirectionCorrelation;
};

/// A measure and its name in files.
struct LineMeasure {
  const char* name;
  std::optional<double> LineMeasures::*value;
};
inline constexpr std::array<LineMeasure, 4> lineMeasureNames = {
    {{"line_score", &LineMeasures::score},
     {"line_score_centred", &LineMeasures::centredScore},
     {"key_norm_correlation", &LineMeasures::keyNormCorrelation},
     {"query_direction_correlation", &LineMeasures::queryDirectionCorrelation}}};

/// Returns the measures of one head. Throws InspectionError if there is no such head; may throw
/// Cancelled.
LineMeasures lineMeasures(const LayerInspection& layer, int head, const Progress& progress = {});

}  // namespace softscope
