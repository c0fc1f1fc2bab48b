#pragma once

#include "core/attention/TokenGrid.h"

namespace softscope {

/// `grid` itself if it has at most `most` patches; otherwise a coarser grid of the same shape that
/// has. Its patches stand for even areas of `grid`.
TokenGrid sampledGrid(const TokenGrid& grid, int most);

/// The patch of `grid` in the middle of the area that patch `index` of `sample` stands for. (Every
/// k-th token in reading order would take a few columns of the picture and none of the others.)
int sampledPatch(const TokenGrid& grid, const TokenGrid& sample, int index);

}  // namespace softscope
