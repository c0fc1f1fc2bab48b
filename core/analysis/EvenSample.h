#pragma once

#include "core/attention/TokenGrid.h"

namespace softscope {

/// Returns `grid` itself if it has at most `most` patches; otherwise a coarser grid of the same
/// shape that does. Each of its patches stands for an even area of `grid`.
TokenGrid sampledGrid(const TokenGrid& grid, int most);

/// Returns the patch of `grid` in the middle of the area that patch `index` of `sample` stands for.
/// (Taking every k-th token in reading order would sample only a few columns of the picture.)
int sampledPatch(const TokenGrid& grid, const TokenGrid& sample, int index);

}  // namespace softscope
