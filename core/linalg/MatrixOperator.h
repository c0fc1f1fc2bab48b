#pragma once

#include "core/Progress.h"
#include "core/linalg/IterativeSpectrum.h"

namespace softscope {

/// Wraps a matrix in memory as an operator; the matrix must outlive it.
class MatrixOperator final : public LinearOperator {
 public:
  MatrixOperator(const Eigen::MatrixXd& matrix, const Progress& progress)
      : matrix_(matrix), progress_(progress) {}

  int rows() const override { return static_cast<int>(matrix_.rows()); }
  int columns() const override { return static_cast<int>(matrix_.cols()); }
  Eigen::VectorXd times(const Eigen::VectorXd& x) const override {
    progress_.throwIfCancelled();
    return matrix_ * x;
  }
  Eigen::VectorXd transposedTimes(const Eigen::VectorXd& y) const override {
    progress_.throwIfCancelled();
    return matrix_.transpose() * y;
  }

 private:
  const Eigen::MatrixXd& matrix_;
  const Progress& progress_;
};

}  // namespace softscope
