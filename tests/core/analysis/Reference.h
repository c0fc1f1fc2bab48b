#pragma once

#include "core/attention/AttentionMap.h"

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace softscope::test {

// Reference computations on whole dense matrices in float64; compiled once.

/// Returns all min(rows, columns) singular values, largest first.
std::vector<double> denseSingularValues(const Eigen::MatrixXd& matrix);
/// Returns the eigenvalues of any square matrix, in no particular order.
std::vector<std::complex<double>> denseEigenvalues(const Eigen::MatrixXd& matrix);
/// Returns the magnitudes of the eigenvalues, largest first.
std::vector<double> denseEigenvalueMagnitudes(const Eigen::MatrixXd& matrix);
double denseSpectralNorm(const Eigen::MatrixXd& matrix);
/// Returns the inverse of a matrix of full column rank.
Eigen::MatrixXd denseInverse(const Eigen::MatrixXd& matrix);

/// Returns a head's whole matrix, read row by row as a user would.
Eigen::MatrixXd wholeMatrix(const AttentionMap& map, int head);

/// Returns the largest difference between `actual` and the first values of `expected`, relative to
/// the largest expected one; infinite if `actual` has more values, or if those it leaves out are
/// more than rounding.
double spectrumDifference(const std::vector<double>& actual, const std::vector<double>& expected);

}  // namespace softscope::test
