#pragma once

#include <Eigen/Core>

#include <optional>

namespace softscope {

// Dense decompositions in float64. Each of Eigen's solvers takes up to half a minute to compile, so
// each is compiled once, in a file of its own. None of them can be stopped; all expect finite
// entries.

/// X = vectors diag(values) vectors^T of a symmetric X, values ascending. Only the lower triangle
/// is read, here and in symmetricEigenvalues().
struct SymmetricDecomposition {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricDecomposition decomposeSymmetric(const Eigen::MatrixXd& matrix);
Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& matrix);

/// Of a square matrix that need not be symmetric, in no order; nothing where the QR algorithm did
/// not converge.
std::optional<Eigen::VectorXcd> generalEigenvalues(const Eigen::MatrixXd& matrix);

/// X = left diag(values) right^T, thin, values descending.
struct SingularDecomposition {
  Eigen::MatrixXd left;
  Eigen::VectorXd values;
  Eigen::MatrixXd right;
};
SingularDecomposition decomposeSingular(const Eigen::MatrixXd& matrix);
/// The values alone, descending.
Eigen::VectorXd generalSingularValues(const Eigen::MatrixXd& matrix);

}  // namespace softscope
