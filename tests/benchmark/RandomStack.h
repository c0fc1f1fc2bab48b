#pragma once

#include "core/attention/MatrixStack.h"

#include <random>
#include <vector>

namespace softscope {

/// Returns `count` matrices of normally distributed numbers, the same in every run.
inline MatrixStack randomStack(int count, int rows, int columns) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<Matrix> matrices;
  for (int i = 0; i < count; ++i) {
    matrices.push_back(Matrix::NullaryExpr(rows, columns, [&] { return normal(generator); }));
  }
  return MatrixStack(matrices);
}

}  // namespace softscope
