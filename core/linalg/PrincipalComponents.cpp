#include "core/linalg/PrincipalComponents.h"

#include "core/linalg/Decompositions.h"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

#include <algorithm>

namespace softscope {

namespace {

using Directions = Eigen::MatrixXd;

struct Eigenpairs {
  Eigen::VectorXd values;  ///< descending
  Directions vectors;
};

/// Returns the largest eigenpairs from a dense decomposition, for a small matrix or if the
/// iteration fails.
Eigenpairs allEigenpairs(const Eigen::MatrixXd& covariance, int count) {
  const SymmetricDecomposition all = decomposeSymmetric(covariance);
  return {all.values.tail(count).reverse(), all.vectors.rightCols(count).rowwise().reverse()};
}

Eigenpairs largestEigenpairs(const Eigen::MatrixXd& covariance, int count) {
  constexpr int smallSide = 64;
  constexpr int basis = 24;
  if (covariance.rows() <= smallSide) return allEigenpairs(covariance, count);
  Spectra::DenseSymMatProd<double> product(covariance);
  Spectra::SymEigsSolver solver(product, count, basis);
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 1000, 1e-10);
  if (solver.info() != Spectra::CompInfo::Successful) return allEigenpairs(covariance, count);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

void makeLargestPositive(Directions& directions) {
  for (Eigen::Index column = 0; column < directions.cols(); ++column) {
    Eigen::Index largest = 0;
    directions.col(column).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, column) < 0) directions.col(column) *= -1;
  }
}

}  // namespace

PrincipalComponents principalComponents(const Matrix& rows, int count) {
  PrincipalComponents components;
  components.scores = Matrix::Zero(rows.rows(), count);
  components.explained.assign(static_cast<std::size_t>(count), 0);
  const int found = static_cast<int>(std::min<Eigen::Index>(count, rows.cols()));
  if (rows.rows() < 2 || found == 0) return components;
  const Eigen::MatrixXd centred =
      rows.cast<double>().rowwise() - rows.cast<double>().colwise().mean();
  const Eigen::MatrixXd covariance =
      centred.transpose() * centred / static_cast<double>(rows.rows());
  const double whole = covariance.trace();
  if (!(whole > 0)) return components;
  Eigenpairs pairs = largestEigenpairs(covariance, found);
  makeLargestPositive(pairs.vectors);
  components.scores.leftCols(found) = (centred * pairs.vectors).cast<float>();
  for (int i = 0; i < found; ++i) {
    components.explained[static_cast<std::size_t>(i)] = std::max(0.0, pairs.values[i] / whole);
  }
  return components;
}

}  // namespace softscope
