#pragma once

namespace softscope {

/// A place on the original picture that is asked about. It is a fraction of the picture, not a
/// patch, so that it stays where it is when the layer changes.
struct PictureQuery {
  /// From the left and from the top, in [0, 1].
  double x = 0.5;
  double y = 0.5;
  /// The class token instead of a patch, in layers that have one.
  bool classToken = false;

  bool operator==(const PictureQuery&) const = default;
};

}  // namespace softscope
