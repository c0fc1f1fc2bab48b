#pragma once

#include <Eigen/Core>

namespace softscope {

/// The Moore-Penrose inverse in float64. Eigenvalues (or singular values, if the matrix is not
/// symmetric) below `rcond` times the largest count as zero.
struct PseudoInverse {
  Eigen::MatrixXd matrix;
  /// Number of values kept, and the ratio of the largest to the smallest of them, which determines
  /// the inverse's norm. The ratio is 1 for a matrix of zeros.
  int rank = 0;
  double condition = 1;
};

/// Computes the inverse. A matrix that is symmetric up to float32's rounding is replaced by its
/// symmetric part. Throws InspectionError for entries that are not finite.
PseudoInverse pseudoInverse(const Eigen::MatrixXd& matrix, double rcond);

}  // namespace softscope
