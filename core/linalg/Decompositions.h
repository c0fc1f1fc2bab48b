#pragma once

#include "core/Progress.h"
#include "core/attention/MatrixStack.h"

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

/// Returns true if a matrix is square and symmetric up to float32's rounding.
inline bool symmetricButForRounding(const Eigen::MatrixXd& matrix) {
  constexpr double float32Rounding = 1e-6;
  return matrix.rows() == matrix.cols() && (matrix - matrix.transpose()).cwiseAbs().maxCoeff() <=
                                               float32Rounding * matrix.cwiseAbs().maxCoeff();
}

inline Eigen::MatrixXd symmetricPart(const Eigen::MatrixXd& matrix) {
  return 0.5 * (matrix + matrix.transpose());
}

/// Returns R of the thin QR form X = Q R in float64, [min(rows, columns), columns]. X is read in
/// strips of rows, each reduced together with the R so far, so that neither X nor Q is ever held in
/// float64. Unlike the root of a Gram matrix, R is as accurate in X's small directions as in its
/// large ones.
Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Progress& progress = {});

/// Returns R of the thin QR form of X after subtracting `offset` [columns] from every row, computed
/// in strips as well.
Eigen::MatrixXd triangularFactor(const MatrixStack::View& matrix, const Eigen::RowVectorXd& offset,
                                 const Progress& progress = {});

}  // namespace softscope
