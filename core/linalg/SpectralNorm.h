#pragma once

#include "core/Progress.h"

#include <Eigen/Core>

namespace softscope {

/// Returns |X|_2, the largest singular value, to a relative accuracy of 1e-6; infinite for entries
/// that are not finite.
double spectralNorm(const Eigen::MatrixXd& matrix, const Progress& progress = {});

}  // namespace softscope
