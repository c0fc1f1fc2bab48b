#pragma once

#include "core/attention/AttentionMap.h"

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace softscope::test {

// Dense float64 computations on whole matrices, to compare with; compiled once.

/// Largest first, all min(rows, columns) of them.
std::vector<double> denseSingularValues(const Eigen::MatrixXd& matrix);
/// Of any square matrix, in no order.
std::vector<std::complex<double>> denseEigenvalues(const Eigen::MatrixXd& matrix);
/// |eigenvalues|, largest first.
std::vector<double> denseEigenvalueMagnitudes(const Eigen::MatrixXd& matrix);
double denseSpectralNorm(const Eigen::MatrixXd& matrix);
/// Of a matrix whose rank is its number of columns.
Eigen::MatrixXd denseInverse(const Eigen::MatrixXd& matrix);

/// A head's whole matrix, row by row as a user would ask for it.
Eigen::MatrixXd wholeMatrix(const AttentionMap& map, int head);

/// Largest difference of `actual` to the first of `expected`, relative to the largest expected;
/// infinite where `actual` holds more, or where what it leaves out is more than rounding.
double spectrumDifference(const std::vector<double>& actual, const std::vector<double>& expected);

}  // namespace softscope::test
