#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstdint>

namespace softscope {

/// Returns the side of the square that `count` patches make; 0 if they make none.
std::int64_t sideOfPatches(std::int64_t count);

/// Returns true if pictures of data sets and of published networks have this side.
bool isUsualSide(std::int64_t side);

/// Returns the size of a picture with so many rows and columns of patches: where patches do not
/// tile it, a usual side if one fits, or else the smallest that does.
SaidSize pictureOfPatches(const PatchStructure& patches, std::int64_t rows, std::int64_t columns);

/// Determines how many patches there are, how they lie on the picture and how far apart they are,
/// from the positions, a head of all tokens, or what something beside the weights says; and which
/// rows of the positions are the patches'. `areSines` says that the table's rows are sines of their
/// numbers, and may therefore go on. Throws ModelError if there are fewer positions than patches.
void resolveGrid(TransformerStructure& read, const SaidGrid& said, bool areSines);

}  // namespace softscope
