#pragma once

#include "core/image/Picture.h"

namespace softscope {

/// A rectangle of a picture, in its pixels.
struct PixelRegion {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// The region resized to width x height, bilinear and not antialiased: several times cheaper than
/// resample(), and as good for pictures that a training distorts anyway. The region must lie within
/// the picture.
Picture cropResized(const Picture& picture, const PixelRegion& region, int width, int height);

}  // namespace softscope
