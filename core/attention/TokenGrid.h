#pragma once

namespace softscope {

/// The patches of a layer as they lie on the picture, row-major.
struct TokenGrid {
  int height = 0;
  int width = 0;

  int count() const { return height * width; }
  bool operator==(const TokenGrid&) const = default;
};

}  // namespace softscope
