#include "core/analysis/bottleneck/ReleasedInverse.h"

#include "core/linalg/NewtonRaphson.h"

#include <cstddef>

namespace softscope {

namespace {

constexpr int nystromformerSteps = 6;

}  // namespace

Matrix releasedInverse(const std::vector<Matrix>& kernels, int head, InverseScheme scheme) {
  const InverseStart start = startInverse(kernels, scheme)[static_cast<std::size_t>(head)];
  const Eigen::MatrixXf matrix = start.matrix.cast<float>();
  Eigen::MatrixXf inverse = start.inverse.cast<float>();
  const int steps = scheme == InverseScheme::Nystromformer ? nystromformerSteps : releasedSteps;
  for (int step = 0; step < steps; ++step) inverse = nextInverse(inverse, matrix, scheme);
  return inverse;
}

}  // namespace softscope
