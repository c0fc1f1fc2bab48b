#pragma once

#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

namespace softscope {

/// Distributes the values on the patches of one grid by area over the patches of another that
/// covers the same picture; their sum is preserved.
Eigen::VectorXd sharedByArea(const Eigen::VectorXd& values, const TokenGrid& from,
                             const TokenGrid& to);

}  // namespace softscope
