#pragma once

#include <optional>

namespace softscope {

/// A place on the original picture that is asked about. It is a fraction of the picture, not a
/// patch, so that it stays in place when the layer changes.
struct PictureQuery {
  /// Fractions from the left and from the top, in [0, 1].
  double x = 0.5;
  double y = 0.5;
  /// Index of a token before the patches to ask instead, in layers that have so many: 0 is the
  /// class token if there is one, followed by a distillation token and registers.
  std::optional<int> prefixToken = {};

  bool operator==(const PictureQuery&) const = default;
};

}  // namespace softscope
