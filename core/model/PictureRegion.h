#pragma once

namespace softscope {

/// The part of the original picture that the network saw, in pixels of the original.
struct PictureRegion {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  bool operator==(const PictureRegion&) const = default;
};

}  // namespace softscope
