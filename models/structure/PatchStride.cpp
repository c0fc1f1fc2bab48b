#include "models/structure/PatchStride.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace softscope {

void addOnce(std::int64_t number, std::vector<std::int64_t>& numbers) {
  if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
}

std::vector<StrideFit> strideFits(const PatchStructure& patches, const SaidGrid& said,
                                  const SaidSize& size,
                                  const std::function<bool(const PatchStructure&)>& fits) {
  constexpr std::int64_t mostStrides = 64;
  const std::int64_t side = std::min({patches.height, patches.width, mostStrides});
  std::vector<StrideFit> found;
  const auto tryPaddings = [&](PatchStructure tried) {
    for (std::int64_t padding = 0; padding <= side / 2; ++padding) {
      if (said.padding && padding != *said.padding) continue;
      tried.padding = padding;
      const std::int64_t room = size.height + 2 * padding - patches.height;
      if (!fits(tried)) continue;
      found.push_back(
          {tried.strideDown, tried.strideAcross, padding, room % tried.strideDown == 0});
    }
  };
  if (said.stride) tryPaddings(patches);
  for (std::int64_t stride = 1; stride <= side && !said.stride; ++stride) {
    PatchStructure tried = patches;
    tried.strideDown = tried.strideAcross = stride;
    tryPaddings(tried);
  }
  const auto rank = [&](const StrideFit& fit) {
    return std::tuple(fit.padding > 0, !fit.isExact, fit.padding != (side - 1) / 2, fit.padding,
                      -fit.down);
  };
  std::ranges::sort(found, {}, rank);
  return found;
}

void takeLikeliest(const std::vector<StrideFit>& fits, TransformerStructure& read) {
  if (fits.empty()) return;
  PatchStructure& patches = read.patches;
  patches.strideDown = fits.front().down;
  patches.strideAcross = fits.front().across;
  patches.padding = fits.front().padding;
  for (const StrideFit& fit : fits) {
    addOnce(fit.down, read.stride.possible);
    if (fit.down == fits.front().down) addOnce(fit.padding, read.stride.possiblePaddings);
  }
}

void describeStride(bool isSizeSaid, bool isFit, TransformerStructure& read) {
  const PatchStructure& patches = read.patches;
  StrideReading& stride = read.stride;
  const std::int64_t side = patches.height;
  const std::string fit = (isSizeSaid ? std::string("by the picture's size") : "by --size") +
                          " and the number of patches";
  if (stride.possible.empty()) {
    stride.possible = {patches.strideDown};
    for (const std::int64_t usual : {side, (side + 1) / 2, side % 4 == 0 ? side * 3 / 4 : side}) {
      if (usual > 0) addOnce(usual, stride.possible);
    }
    if (isFit) stride.told = fit;
  } else if (stride.possible.size() == 1 && patches.strideDown == side) {
    stride.told = fit;
  } else if (stride.possible.size() == 1) {
    stride.why =
        "a pooling behind the patch embedding leaves as many patches on the picture as a "
        "longer stride does";
  } else if (stride.why.empty()) {
    stride.why = "several fit the picture's size and the number of patches";
  }
  if (patches.height == 1 && patches.width == 1) stride.told = "since a patch is one pixel";
  if (stride.why.empty()) stride.why = "the weights are the same for patches that overlap";
  if (patches.tile()) stride.paddingTold = "since patches do not overlap";
  // Zeros around patches side by side may as well be another size of the picture.
  if (stride.possiblePaddings.size() == 1 && patches.strideDown != side) stride.paddingTold = fit;
  addOnce(patches.padding, stride.possiblePaddings);
  for (const std::int64_t usual : {std::int64_t{0}, (side - 1) / 2}) {
    if (stride.paddingTold.empty() && stride.possiblePaddings.size() == 1) {
      addOnce(usual, stride.possiblePaddings);
    }
  }
}

}  // namespace softscope
