#pragma once

#include <optional>

namespace softscope {

/// A place on the original picture that is asked about. It is a fraction of the picture, not a
/// patch, so that it stays where it is when the layer changes.
struct PictureQuery {
  /// From the left and from the top, in [0, 1].
  double x = 0.5;
  double y = 0.5;
  /// A token before the patches instead, in layers that have so many: 0 is the class token where
  /// there is one, then come a distillation token and registers.
  std::optional<int> prefixToken = {};

  bool operator==(const PictureQuery&) const = default;
};

}  // namespace softscope
