#pragma once

#include "models/structure/TransformerStructure.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace softscope {

/// A stride and a padding that give a picture as many patches as the file has.
struct StrideFit {
  std::int64_t down = 0;
  std::int64_t across = 0;
  std::int64_t padding = 0;
  bool isExact = false;  ///< the last patch ends with the picture
};

/// Adds a number to a list, unless it is there.
void addOnce(std::int64_t number, std::vector<std::int64_t>& numbers);

/// Returns the strides and paddings with which patches on a picture of `size` fulfil `fits`, the
/// likeliest first: without padding, with patches that end with the picture, with half a patch of
/// padding. A stride or a padding that is said is not varied.
std::vector<StrideFit> strideFits(const PatchStructure& patches, const SaidGrid& said,
                                  const SaidSize& size,
                                  const std::function<bool(const PatchStructure&)>& fits);

/// Gives the patches the first of these strides and paddings, and lists all of them as possible;
/// does nothing if there are none.
void takeLikeliest(const std::vector<StrideFit>& fits, TransformerStructure& read);

/// Says what tells the stride and the padding of the patches, or why nothing does. `isFit` is true
/// if the picture has as many patches with them as the file, and `isSizeSaid` if something but the
/// user says the picture's size.
void describeStride(bool isSizeSaid, bool isFit, TransformerStructure& read);

}  // namespace softscope
