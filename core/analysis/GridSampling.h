#pragma once

#include "core/attention/TokenGrid.h"
#include "core/model/InputTransform.h"

#include <Eigen/Core>

namespace softscope {

/// Returns `grid` itself if it has at most `most` patches; otherwise a coarser grid of the same
/// shape that does. Each of its patches stands for an even area of `grid`.
TokenGrid sampledGrid(const TokenGrid& grid, int most);

/// Returns the patch of `grid` in the middle of the area that patch `index` of `sample` stands for.
/// (Taking every k-th token in reading order would sample only a few columns of the picture.)
int sampledPatch(const TokenGrid& grid, const TokenGrid& sample, int index);

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
