#pragma once

#include "core/image/Picture.h"
#include "core/train/RandomStream.h"

#include <array>

namespace softscope {

/// How a training picture is distorted before the network sees it.
struct AugmentationOptions {
  int height = 128;
  int width = 128;
  /// A random resized crop takes at least this share of the area, in a shape of up to 4 : 3.
  double smallestArea = 0.5;
  /// Above 0: instead of a resized crop, one of height x width from the picture with so many black
  /// pixels around it, as is usual for pictures of 32 x 32.
  int padding = 0;
  bool flip = true;
  /// Brightness, contrast and saturation change by a factor of 1 - jitter to 1 + jitter each.
  double jitter = 0.3;
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};
};

/// Writes one distorted, normalised picture to `planes`, [3, height, width]. Draws the same
/// distortion from the same stream.
void augment(const Picture& picture, const AugmentationOptions& options, RandomStream& random,
             float* planes);

/// Without any distortion: the picture's own pixels, normalised, to [3, height, width].
void normalisePicture(const Picture& picture, const std::array<float, 3>& mean,
                      const std::array<float, 3>& deviation, float* planes);

}  // namespace softscope
