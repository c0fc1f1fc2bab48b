#pragma once

#include "core/attention/TokenGrid.h"
#include "core/model/PictureRegion.h"

#include <Eigen/Core>

namespace softscope {

/// Distributes the values on the patches of one grid by area over the patches of another that
/// covers the same picture; their sum is preserved.
Eigen::VectorXd sharedByArea(const Eigen::VectorXd& values, const TokenGrid& from,
                             const TokenGrid& to);

/// Returns the pixels of a part of an input, which may lie partly beyond it, as a grid: its sides,
/// rounded to whole pixels.
TokenGrid pixelGridOf(const PictureRegion& part);

/// Returns the values on the `pixels` of an input as values on pixelGridOf() a part of it, which is
/// given in the input's pixels: zeros where the part lies beyond the input.
Eigen::VectorXd laidOver(const PictureRegion& part, const Eigen::VectorXd& values,
                         const TokenGrid& pixels);

}  // namespace softscope
