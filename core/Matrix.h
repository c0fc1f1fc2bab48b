#pragma once

#include <Eigen/Core>

namespace softscope {

/// A float32 matrix with contiguous rows, as in LibTorch and NumPy.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

}  // namespace softscope
