#pragma once

#include "core/Progress.h"
#include "core/attention/MatrixStack.h"

#include <Eigen/Core>

namespace softscope {

/// Returns X^T X in float64, [columns, columns], computed from strips of rows so that X is never
/// copied as a whole. Products of float32 numbers are exact in float64; only their sum is rounded.
Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress = {});

/// Returns X^T Y of two matrices with equally many rows, computed like gramMatrix().
Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress = {});

}  // namespace softscope
