#pragma once

#include <Eigen/Core>

#include <optional>

namespace softscope {

// Dense decompositions in float64. Each of Eigen's solvers takes up to half a minute to compile, so
// each is compiled once, in a file of its own. None of them can be interrupted; all expect finite
// entries.

/// X = vectors diag(values) vectors^T of a symmetric X, with ascending values. Only the lower
/// triangle is read, here and in symmetricEigenvalues().
struct SymmetricDecomposition {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricDecomposition decomposeSymmetric(const Eigen::MatrixXd& matrix);
Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& matrix);

/// Returns the eigenvalues of a square matrix that need not be symmetric, in no particular order;
/// nothing if the QR algorithm did not converge.
std::optional<Eigen::VectorXcd> generalEigenvalues(const Eigen::MatrixXd& matrix);

/// X = left diag(values) right^T, thin, with descending values.
struct SingularDecomposition {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};
SingularDecomposition decomposeSingular(const Eigen::MatrixXd& matrix);
/// Returns only the singular values, descending.
Eigen::VectorXd generalSingularValues(const Eigen::MatrixXd& matrix);

}  // namespace softscope
