#pragma once

#include "core/Matrix.h"

namespace softscope {

/// Returns matrix * weights, [rows], in float32, as fast as the memory that holds the matrix is
/// read: a click on many tokens takes as long as that. Eigen's product is compiled for every
/// processor's registers alone, and takes twice as long.
Vector rowProducts(const Eigen::Map<const Matrix>& matrix, const Vector& weights);

}  // namespace softscope
