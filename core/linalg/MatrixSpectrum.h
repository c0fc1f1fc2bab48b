#pragma once

#include "core/Progress.h"
#include "core/linalg/Eigenvalues.h"

#include <Eigen/Core>

namespace softscope {

// The spectrum of a matrix in memory, in float64. A matrix that is symmetric up to float32's
// rounding is replaced by its symmetric part. Both functions throw InspectionError for entries that
// are not finite.

/// Returns all min(rows, columns) singular values, from a dense decomposition.
SpectrumValues singularValues(const Eigen::MatrixXd& matrix);

/// Returns the eigenvalues of a square matrix: all of them, from a dense decomposition, if it is
/// symmetric or has at most `denseLimit` rows; otherwise the `largest` ones, by Arnoldi's method.
/// (A dense solver for unsymmetric matrices takes half a minute for 1024 rows, and cannot be
/// interrupted.)
Eigenvalues matrixEigenvalues(const Eigen::MatrixXd& matrix, int denseLimit, int largest,
                              const Progress& progress);

/// Returns all eigenvalues of the symmetric part of a square matrix, from a dense decomposition.
Eigenvalues symmetricPartEigenvalues(const Eigen::MatrixXd& matrix);

}  // namespace softscope
