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
