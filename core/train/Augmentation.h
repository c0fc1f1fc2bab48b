#pragma once

#include "core/image/Picture.h"
#include "core/train/RandomStream.h"

#include <array>

namespace softscope {

/// How a training picture is distorted before the network sees it.
struct AugmentationOptions {
  int height = 128;
  int width = 128;
  /// Smallest share of the area that a random resized crop takes; its shape varies up to 4 : 3.
  double smallestArea = 0.5;
  /// If above 0, the width of a black margin from which crops of height x width are taken, instead
  /// of resized crops. Usual for pictures of 32 x 32.
  int padding = 0;
  bool flip = true;
  /// Brightness, contrast and saturation each change by a factor of 1 - jitter to 1 + jitter.
  double jitter = 0.3;
  std::array<float, 3> mean{0.485f, 0.456f, 0.406f};
  std::array<float, 3> deviation{0.229f, 0.224f, 0.225f};
};

/// Writes one distorted, normalised picture to `planes`, [3, height, width]. The same stream gives
/// the same distortion.
void augment(const Picture& picture, const AugmentationOptions& options, RandomStream& random,
             float* planes);

/// Writes a picture's own pixels, normalised and without any distortion, to `planes`, [3, height,
/// width].
void normalisePicture(const Picture& picture, const std::array<float, 3>& mean,
                      const std::array<float, 3>& deviation, float* planes);

}  // namespace softscope
