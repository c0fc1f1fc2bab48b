#include "core/analysis/Decompositions.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace softscope {

SymmetricDecomposition decomposeSymmetric(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetricEigenvalues(const Eigen::MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

std::optional<Eigen::VectorXcd> generalEigenvalues(const Eigen::MatrixXd& matrix) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, /* computeEigenvectors = */ false);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues();
}

SingularDecomposition decomposeSingular(const Eigen::MatrixXd& matrix) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Eigen::VectorXd generalSingularValues(const Eigen::MatrixXd& matrix) {
  return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
}

}  // namespace softscope
