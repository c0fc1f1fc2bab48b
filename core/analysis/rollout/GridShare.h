#pragma once

#include "core/attention/TokenGrid.h"

#include <Eigen/Core>

namespace softscope {

/// What lies on the patches of one grid, shared out by area over those of another that covers the
/// same picture: its sum stays as it is.
Eigen::VectorXd sharedByArea(const Eigen::VectorXd& values, const TokenGrid& from,
                             const TokenGrid& to);

}  // namespace softscope
