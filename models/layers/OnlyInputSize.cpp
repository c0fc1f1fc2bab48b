#include "models/layers/OnlyInputSize.h"

#include "core/Error.h"

#include <string>

namespace softscope {

void requireOnlyInputSize(int height, int width, int side) {
  if (height == side && width == side) return;
  const std::string only = std::to_string(side);
  throw InspectionError("this model takes pictures of " + only + " x " + only + " alone, not of " +
                        std::to_string(height) + " x " + std::to_string(width) +
                        ": its positions are of that size, and nobody published how to resize "
                        "them; choose --size " +
                        only);
}

void requireWholePatches(int height, int width, int side) {
  if (height >= side && width >= side && height % side == 0 && width % side == 0) return;
  const std::string patch = std::to_string(side);
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " cannot be cut into this model's patches of " + patch + " x " + patch +
                        ": both sides must be multiples of " + patch);
}

void requireAnyInputSize(int height, int width) {
  if (height >= 1 && width >= 1) return;
  throw InspectionError("a picture of " + std::to_string(height) + " x " + std::to_string(width) +
                        " is empty; this model takes any size from 1 pixel a side");
}

}  // namespace softscope
