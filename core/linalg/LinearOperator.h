#pragma once

#include <Eigen/Core>

namespace softscope {

/// A matrix that is known only by its products, which is all that Lanczos' and Arnoldi's methods
/// need.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  virtual int rows() const = 0;
  virtual int columns() const = 0;
  /// Returns A x: [columns] -> [rows]. May throw Cancelled, as may transposedTimes().
  virtual Eigen::VectorXd times(const Eigen::VectorXd& x) const = 0;
  /// Returns A^T y: [rows] -> [columns].
  virtual Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const = 0;
};

}  // namespace softscope
