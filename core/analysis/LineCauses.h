#pragma once

#include "core/inspect/Inspection.h"

#include <Eigen/Core>

#include <optional>

namespace softscope {

/// What a head's vertical lines follow: over its keys j, Pearson's correlation of the column means
/// with two explanations. Each is in [-1, 1], and nothing where one of both sides does not vary.
struct LineCauses {
  /// |phi_j|: the keys' magnitude, which "Rethinking Efficacy of Softmax for Lightweight Non-Local
  /// Neural Networks" (2022, arXiv 2207.13423, section 3.2) names.
  std::optional<double> keyNorm;
  /// mean_i(theta_i) . phi_j: a direction that the queries share.
  std::optional<double> queryDirection;
};

/// Of a head whose column means [keys] are known. theta and phi are the queries and keys that the
/// matrix, or the kernel that it approximates, is computed from; of linear attention the factors
/// themselves, after their feature map. Nothing where a mechanism has neither.
std::optional<LineCauses> lineCauses(const LayerInspection& layer, int head,
                                     const Eigen::VectorXd& columnMeans);

}  // namespace softscope
