#include "core/linalg/PrincipalComponents.h"

#include "core/linalg/Decompositions.h"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <utility>

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

Matrix PrincipalDirections::scores(const Matrix& rows) const {
  const auto count = static_cast<Eigen::Index>(explained.size());
  Matrix scores = Matrix::Zero(rows.rows(), count);
  if (directions.cols() == 0) return scores;
  const Eigen::MatrixXd centred = rows.cast<double>().rowwise() - mean;
  scores.leftCols(directions.cols()) = (centred * directions).cast<float>();
  return scores;
}

PrincipalDirections principalDirections(const std::vector<Matrix>& parts, int count) {
  PrincipalDirections found;
  found.explained.assign(static_cast<std::size_t>(count), 0);
  const Eigen::Index columns = parts.empty() ? 0 : parts.front().cols();
  found.mean = Eigen::RowVectorXd::Zero(columns);
  const auto most = static_cast<int>(std::min<Eigen::Index>(count, columns));
  Eigen::Index rows = 0;
  for (const Matrix& part : parts) rows += part.rows();
  if (rows < 2 || most == 0) return found;
  for (const Matrix& part : parts) found.mean += part.cast<double>().colwise().sum();
  found.mean /= static_cast<double>(rows);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(columns, columns);
  for (const Matrix& part : parts) {
    const Eigen::MatrixXd centred = part.cast<double>().rowwise() - found.mean;
    covariance += centred.transpose() * centred;
  }
  covariance /= static_cast<double>(rows);
  const double whole = covariance.trace();
  if (!(whole > 0)) return found;
  Eigenpairs pairs = largestEigenpairs(covariance, most);
  makeLargestPositive(pairs.vectors);
  found.directions = std::move(pairs.vectors);
  for (int i = 0; i < most; ++i) {
    found.explained[static_cast<std::size_t>(i)] = std::max(0.0, pairs.values[i] / whole);
  }
  return found;
}

}  // namespace softscope
