#pragma once

#include "core/Matrix.h"

#include <vector>

namespace softscope {

/// Rows as coordinates along the directions in which they vary most.
struct PrincipalComponents {
  /// [rows, count]; columns of zero where the rows span fewer directions.
  Matrix scores;
  /// [count] the share of the whole variance that each has, falling.
  std::vector<double> explained;
};

/// The first `count` principal components of the rows, of which the mean is taken off first. The
/// largest magnitude of each direction is positive.
PrincipalComponents principalComponents(const Matrix& rows, int count);

}  // namespace softscope
