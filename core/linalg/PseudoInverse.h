#pragma once

#include <Eigen/Core>

namespace softscope {

/// The Moore-Penrose inverse in float64. Eigenvalues (singular values, where the matrix is not
/// symmetric) under `rcond` times the largest count as zero.
struct PseudoInverse {
  Eigen::MatrixXd matrix;
  /// How many were kept, and the ratio of the largest to the smallest of them: what the inverse's
  /// norm hangs on. 1 for a matrix of zeros.
  int rank = 0;
  double condition = 1;
};

/// A matrix that is symmetric but for float32's rounding is taken as its symmetric part. Throws
/// InspectionError for entries that are not finite.
PseudoInverse pseudoInverse(const Eigen::MatrixXd& matrix, double rcond);

}  // namespace softscope
