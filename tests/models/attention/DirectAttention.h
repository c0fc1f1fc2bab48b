#pragma once

#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

#include <string>

namespace softscope {

/// One head of a pyramid's attention, in float64.
struct DirectHead {
  Eigen::MatrixXd query;  ///< n x d
  Eigen::MatrixXd key;    ///< n x d
  TokenGrid grid;
  int ratio = 1;
  Eigen::MatrixXd filter;      ///< Linformer's, r x r
  Eigen::MatrixXd projection;  ///< Performer's W, m x d
};

/// Returns the n x n matrix that multiplies V, entry by entry from the papers' formulas, for
/// comparison with what the networks compute in a cheaper order.
Eigen::MatrixXd directAttention(const std::string& mechanism, const DirectHead& head);

}  // namespace softscope
