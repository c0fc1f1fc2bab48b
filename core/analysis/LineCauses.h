#pragma once

#include "core/inspect/Inspection.h"

#include <Eigen/Core>

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

}  // namespace softscope
