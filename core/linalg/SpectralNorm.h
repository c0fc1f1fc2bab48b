#pragma once

#include "core/Progress.h"

#include <Eigen/Core>

namespace softscope {

/// |X|_2, the largest singular value, to 1e-6 of itself; infinite for entries that are not finite.
double spectralNorm(const Eigen::MatrixXd& matrix, const Progress& progress = {});

}  // namespace softscope
