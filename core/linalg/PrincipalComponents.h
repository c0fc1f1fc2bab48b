#pragma once

#include "core/Matrix.h"

#include <Eigen/Core>

#include <vector>

namespace softscope {

/// The directions in which some rows vary most, about their mean.
struct PrincipalDirections {
  /// [columns]
  Eigen::RowVectorXd mean;
  /// [columns, found], orthonormal; the entry of the largest magnitude in each is positive. Fewer
  /// than were asked for if the rows have fewer columns, none if they do not vary.
  Eigen::MatrixXd directions;
  /// Share of the rows' variance along each, descending; 0 for those that were not found.
  std::vector<double> explained;

  /// Returns the coordinates of other rows along the directions, about the same mean: [rows,
  /// count], 0 along those that were not found.
  Matrix scores(const Matrix& rows) const;
};

/// Returns the first `count` principal directions of the rows of all parts together. All parts have
/// the same number of columns. The result does not depend on the order of two parts, and on that of
/// more only by rounding.
PrincipalDirections principalDirections(const std::vector<Matrix>& parts, int count);

}  // namespace softscope
