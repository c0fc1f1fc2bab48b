#pragma once

#include "core/Progress.h"
#include "core/attention/MatrixStack.h"

#include <Eigen/Core>

namespace softscope {

/// X^T X in float64, [columns, columns], read in strips of rows so that X is never copied whole.
/// Products of float32 numbers are exact in float64; only their sum is rounded.
Eigen::MatrixXd gramMatrix(const MatrixStack::View& matrix, const Progress& progress = {});

/// X^T Y of two matrices of equally many rows, likewise.
Eigen::MatrixXd crossProduct(const MatrixStack::View& x, const MatrixStack::View& y,
                             const Progress& progress = {});

}  // namespace softscope
