#pragma once

#include <Eigen/Core>

namespace softscope {

/// Returns true if a matrix is square and symmetric up to float32's rounding.
inline bool symmetricButForRounding(const Eigen::MatrixXd& matrix) {
  constexpr double float32Rounding = 1e-6;
  return matrix.rows() == matrix.cols() && (matrix - matrix.transpose()).cwiseAbs().maxCoeff() <=
                                               float32Rounding * matrix.cwiseAbs().maxCoeff();
}

inline Eigen::MatrixXd symmetricPart(const Eigen::MatrixXd& matrix) {
  return 0.5 * (matrix + matrix.transpose());
}

}  // namespace softscope
