#pragma once

#include "core/attention/MatrixStack.h"

#include <random>
#include <vector>

namespace softscope::test {

/// Returns values from a standard normal distribution, the same in every run.
inline Matrix randomMatrix(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  return Matrix::NullaryExpr(rows, columns, [&] { return normal(generator); });
}

inline MatrixStack randomStack(int count, int rows, int columns, unsigned seed) {
  std::vector<Matrix> matrices;
  for (int i = 0; i < count; ++i) {
    matrices.push_back(randomMatrix(rows, columns, seed + static_cast<unsigned>(i)));
  }
  return MatrixStack(matrices);
}

/// Returns the matrix of a map whose class token stands behind the patches and not before them: the
/// first row and column come last.
inline Matrix withClassTokenLast(const Matrix& matrix) {
  const Eigen::Index rows = matrix.rows() - 1;
  const Eigen::Index columns = matrix.cols() - 1;
  Matrix moved(matrix.rows(), matrix.cols());
  moved << matrix.bottomRightCorner(rows, columns), matrix.col(0).tail(rows),
      matrix.row(0).tail(columns), matrix(0, 0);
  return moved;
}

/// Returns the averages of `matrix` over even areas, computed entry by entry.
inline Eigen::MatrixXd averagedOverAreas(const Eigen::MatrixXd& matrix, int rows, int columns) {
  Eigen::MatrixXd averages(rows, columns);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const auto top = r * matrix.rows() / rows;
      const auto bottom = (r + 1) * matrix.rows() / rows;
      const auto left = c * matrix.cols() / columns;
      const auto right = (c + 1) * matrix.cols() / columns;
      averages(r, c) = matrix.block(top, left, bottom - top, right - left).mean();
    }
  }
  return averages;
}

/// Returns the largest difference relative to the largest entry of `expected`.
template <typename A, typename B>
double relativeDifference(const A& actual, const B& expected) {
  const Eigen::MatrixXd a = actual.template cast<double>();
  const Eigen::MatrixXd b = expected.template cast<double>();
  if (a.rows() != b.rows() || a.cols() != b.cols()) return 1e9;
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace softscope::test
