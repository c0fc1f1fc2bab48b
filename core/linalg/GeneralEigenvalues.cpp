#include "core/linalg/Decompositions.h"

#include <Eigen/Eigenvalues>

namespace softscope {

std::optional<Eigen::VectorXcd> generalEigenvalues(const Eigen::MatrixXd& matrix) {
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, /* computeEigenvectors = */ false);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return solver.eigenvalues();
}

}  // namespace softscope
