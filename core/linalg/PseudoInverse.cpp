#include "core/linalg/PseudoInverse.h"

#include "core/Error.h"
#include "core/linalg/Decompositions.h"

#include <algorithm>

namespace softscope {

namespace {

/// Returns U diag(values)^+ V^T of a decomposition U diag(values) V^T.
PseudoInverse inverted(const Eigen::MatrixXd& left, const Eigen::VectorXd& values,
                       const Eigen::MatrixXd& right, double rcond) {
  const Eigen::ArrayXd magnitudes = values.array().abs();
  const double largest = magnitudes.maxCoeff();
  double smallest = largest;
  PseudoInverse result;
  Eigen::VectorXd inverses = Eigen::VectorXd::Zero(values.size());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (magnitudes[i] == 0 || magnitudes[i] < rcond * largest) continue;
    inverses[i] = 1 / values[i];
    smallest = std::min(smallest, magnitudes[i]);
    ++result.rank;
  }
  if (result.rank > 0) result.condition = largest / smallest;
  result.matrix = right * inverses.asDiagonal() * left.transpose();
  return result;
}

}  // namespace

PseudoInverse pseudoInverse(const Eigen::MatrixXd& matrix, double rcond) {
  if (!matrix.allFinite()) {
    throw InspectionError("the matrix has entries that are not finite, so it has no inverse");
  }
  if (symmetricButForRounding(matrix)) {
    const auto [values, vectors] = decomposeSymmetric(symmetricPart(matrix));
    return inverted(vectors, values, vectors, rcond);
  }
  const auto [left, values, right] = decomposeSingular(matrix);
  return inverted(left, values, right, rcond);
}

}  // namespace softscope
