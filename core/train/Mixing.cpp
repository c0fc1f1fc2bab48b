#include "core/train/Mixing.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

/// Replaces a and b by share * a + (1 - share) * b and by the same with a and b exchanged.
void blend(float* a, float* b, std::int64_t count, float share) {
  for (std::int64_t i = 0; i < count; ++i) {
    const float first = a[i];
    const float second = b[i];
    a[i] = share * first + (1 - share) * second;
    b[i] = share * second + (1 - share) * first;
  }
}

struct Rectangle {
  std::int64_t top = 0;
  std::int64_t bottom = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;

  double area() const { return static_cast<double>((bottom - top) * (right - left)); }
};

/// Draws a rectangle with a share of the picture's area and the picture's proportions, centred
/// anywhere in the picture. Parts outside are cut off.
Rectangle drawRectangle(const BatchMemory& batch, double share, RandomStream& random) {
  const double side = std::sqrt(share);
  const auto interval = [&](std::int64_t length, std::int64_t& begin, std::int64_t& end) {
    const auto centre = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length)));
    const auto half = static_cast<std::int64_t>(side * static_cast<double>(length)) / 2;
    begin = std::max<std::int64_t>(0, centre - half);
    end = std::min(length, centre + half);
  };
  Rectangle rectangle;
  interval(batch.height, rectangle.top, rectangle.bottom);
  interval(batch.width, rectangle.left, rectangle.right);
  return rectangle;
}

void exchange(const BatchMemory& batch, float* a, float* b, const Rectangle& rectangle) {
  for (std::int64_t channel = 0; channel < 3; ++channel) {
    for (std::int64_t y = rectangle.top; y < rectangle.bottom; ++y) {
      const std::int64_t row = (channel * batch.height + y) * batch.width;
      std::swap_ranges(a + row + rectangle.left, a + row + rectangle.right,
                       b + row + rectangle.left);
    }
  }
}

}  // namespace

void mixBatch(const BatchMemory& batch, const MixingOptions& options, RandomStream& random) {
  const bool mixes = options.mixup > 0 || options.cutmix > 0;
  if (!mixes || !random.chance(options.probability)) return;
  const bool cuts = options.cutmix > 0 && (options.mixup <= 0 || random.chance(0.5));
  double share = random.beta(cuts ? options.cutmix : options.mixup);
  Rectangle rectangle;
  const std::int64_t pixels = batch.height * batch.width;
  if (cuts) {
    rectangle = drawRectangle(batch, 1 - share, random);
    share = 1 - rectangle.area() / static_cast<double>(pixels);
  }
  for (std::int64_t i = 0; i < batch.count / 2; ++i) {
    const std::int64_t other = batch.count - 1 - i;
    float* a = batch.pictures + i * 3 * pixels;
    float* b = batch.pictures + other * 3 * pixels;
    if (cuts) {
      exchange(batch, a, b, rectangle);
    } else {
      blend(a, b, 3 * pixels, static_cast<float>(share));
    }
    blend(batch.targets + i * batch.classes, batch.targets + other * batch.classes, batch.classes,
          static_cast<float>(share));
  }
}

}  // namespace softscope
