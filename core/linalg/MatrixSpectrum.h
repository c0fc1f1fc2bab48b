#pragma once

#include "core/Progress.h"
#include "core/linalg/Eigenvalues.h"

#include <Eigen/Core>

namespace softscope {

// The spectrum of a matrix that is there, in float64. One that is symmetric but for float32's
// rounding is taken as its symmetric part. Both throw InspectionError for entries that are not
// finite.

/// All min(rows, columns) singular values, dense.
SpectrumValues singularValues(const Eigen::MatrixXd& matrix);

/// Of a square matrix: all of them, dense, where it is symmetric or has at most `denseLimit` rows;
/// otherwise the `largest`, by Arnoldi's method. (A dense solver for matrices that are not
/// symmetric takes half a minute for 1024 rows, and cannot be stopped.)
Eigenvalues matrixEigenvalues(const Eigen::MatrixXd& matrix, int denseLimit, int largest,
                              const Progress& progress);

/// All of the symmetric part of a square matrix, dense.
Eigenvalues symmetricPartEigenvalues(const Eigen::MatrixXd& matrix);

}  // namespace softscope
