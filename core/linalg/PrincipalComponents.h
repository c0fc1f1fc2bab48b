#pragma once

#include "core/Matrix.h"

#include <vector>

namespace softscope {

/// Coordinates of rows along the directions in which they vary most.
struct PrincipalComponents {
  /// Coordinates, [rows, count]; columns are zero if the rows span fewer directions.
  Matrix scores;
  /// Share of the total variance of each component, [count], descending.
  std::vector<double> explained;
};

/// Returns the first `count` principal components of the rows, after subtracting their mean. The
/// entry of the largest magnitude in each direction is positive.
PrincipalComponents principalComponents(const Matrix& rows, int count);

}  // namespace softscope
