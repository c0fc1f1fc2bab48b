#pragma once

#include "core/image/Picture.h"

namespace softscope {

/// A rectangle of a picture, in pixels.
struct PixelRegion {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Resizes a region to width x height, bilinear and without antialiasing: several times cheaper
/// than resample(), and good enough for pictures that training distorts anyway. The region must lie
/// within the picture.
Picture cropResized(const Picture& picture, const PixelRegion& region, int width, int height);

}  // namespace softscope
