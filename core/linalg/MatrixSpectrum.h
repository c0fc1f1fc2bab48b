#pragma once

#include "core/Progress.h"
#include "core/linalg/Eigenvalues.h"
#include "core/linalg/IterativeSpectrum.h"

#include <Eigen/Core>

namespace softscope {

/// Wraps a matrix in memory as an operator; the matrix must outlive it.
class MatrixOperator final : public LinearOperator {
 public:
  MatrixOperator(const Eigen::MatrixXd& matrix, const Progress& progress)
      : matrix_(matrix), progress_(progress) {}

  int rows() const override { return static_cast<int>(matrix_.rows()); }
  int columns() const override { return static_cast<int>(matrix_.cols()); }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override {
    progress_.throwIfCancelled();
    return matrix_ * x;
  }
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override {
    progress_.throwIfCancelled();
    return matrix_.transpose() * y;
  }

 private:
  const Eigen::MatrixXd& matrix_;
  const Progress& progress_;
};

/// Returns |X|_2, the largest singular value, to a relative accuracy of 1e-6; infinite for entries
/// that are not finite.
double spectralNorm(const Eigen::MatrixXd& matrix, const Progress& progress = {});

// The spectrum of a matrix in memory, in float64. A matrix that is symmetric up to float32's
// rounding is replaced by its symmetric part. Both functions throw InspectionError for entries that
// are not finite.

/// Returns all min(rows, columns) singular values, from a dense decomposition.
SpectrumValues singularValues(const Eigen::MatrixXd& matrix);

/// Returns the eigenvalues of a square matrix: those on its diagonal, if an order of rows and
/// columns makes it triangular; all of them, from a dense decomposition, if it is symmetric or has
/// at most `denseLimit` rows; otherwise the `largest` ones, by Arnoldi's method. (A dense solver
/// for unsymmetric matrices takes half a minute for 1024 rows, and cannot be interrupted; of
/// triangular matrices with large entries off the diagonal it finds none of the small ones.)
Eigenvalues matrixEigenvalues(const Eigen::MatrixXd& matrix, int denseLimit, int largest,
                              const Progress& progress);

/// Returns the eigenvalues of a matrix with this diagonal that an order of rows and columns makes
/// triangular.
Eigenvalues triangularEigenvalues(const Eigen::VectorXd& diagonal);

/// Returns all eigenvalues of the symmetric part of a square matrix, from a dense decomposition.
Eigenvalues symmetricPartEigenvalues(const Eigen::MatrixXd& matrix);

}  // namespace softscope
