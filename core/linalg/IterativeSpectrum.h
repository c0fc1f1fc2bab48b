#pragma once

#include "core/linalg/Eigenvalues.h"

#include <Eigen/Core>

namespace softscope {

/// A matrix that is known only by its products, which is all that Lanczos' and Arnoldi's methods
/// need.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  virtual int rows() const = 0;
  virtual int columns() const = 0;
  /// Returns A x: [columns] -> [rows]. May throw Cancelled, as may transposedTimes().
  virtual Eigen::VectorXd times(const Eigen::VectorXd& x) const = 0;
  /// Returns A^T y: [rows] -> [columns].
  virtual Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const = 0;
};

// The largest values of a matrix that is too large for a dense decomposition, from its products
// alone (Spectra). Values that do not converge are left out; SpectrumValues::method says how many.

/// Returns the largest eigenvalues of a symmetric matrix without negative ones, by Lanczos' method;
/// they are also its singular values. Accurate to 1e-12 of the largest.
Eigenvalues largestSemidefiniteValues(const LinearOperator& matrix, int count);

/// Returns the largest singular values of any matrix, by Lanczos' method on the smaller of S^T S
/// and S S^T, whose eigenvalues are their squares. Accurate to 1e-6 of the largest.
SpectrumValues largestSingularValues(const LinearOperator& matrix, int count);

/// Returns the eigenvalues of the largest magnitude of any square matrix, by Arnoldi's method.
Eigenvalues largestEigenvalues(const LinearOperator& matrix, int count);

}  // namespace softscope
