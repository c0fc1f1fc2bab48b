#include "core/train/Augmentation.h"

#include "core/image/Picture.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace softscope {

namespace {

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
Picture cropResized(const Picture& picture, const PixelRegion& region, int width, int height) {
  const cv::Mat whole(picture.height, picture.width, CV_8UC3,
                      const_cast<std::uint8_t*>(picture.rgb.data()));
  Picture result{width, height, {}, picture.path};
  result.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  cv::Mat resized(height, width, CV_8UC3, result.rgb.data());
  cv::resize(whole(cv::Rect(region.x, region.y, region.width, region.height)), resized,
             resized.size(), 0, 0, cv::INTER_LINEAR);
  return result;
}

/// Rec. 601, as in Pillow's convert("L").
constexpr std::array<float, 3> greyWeights{0.299f, 0.587f, 0.114f};

/// Maps a level in 0 ... 255 to matrix * level + offset: brightness, then contrast about the mean
/// grey, then saturation, all of which are linear.
struct ColourChange {
  std::array<std::array<float, 3>, 3> matrix{};
  float offset = 0;
};

float meanGrey(const Picture& picture) {
  double sum = 0;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) sum += greyWeights[c] * picture.rgb[i + c];
  }
  return static_cast<float>(sum * 3 / static_cast<double>(picture.rgb.size()));
}

ColourChange drawColourChange(const Picture& picture, double jitter, RandomStream& random) {
  const auto factor = [&] { return static_cast<float>(random.uniform(1 - jitter, 1 + jitter)); };
  const float brightness = factor();
  const float contrast = factor();
  const float saturation = factor();
  ColourChange change;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      const float own = row == column ? saturation : 0;
      change.matrix[row][column] =
          brightness * contrast * (own + (1 - saturation) * greyWeights[column]);
    }
  }
  change.offset = (1 - contrast) * brightness * meanGrey(picture);
  return change;
}

/// Draws a region with a random share of the area and a random shape, as torchvision does.
PixelRegion drawRegion(const Picture& picture, double smallestArea, RandomStream& random) {
  constexpr int attempts = 10;
  const double largestLogShape = std::log(4.0 / 3.0);
  const double area = static_cast<double>(picture.width) * picture.height;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const double target = area * random.uniform(smallestArea, 1);
    const double shape = std::exp(random.uniform(-largestLogShape, largestLogShape));
    const int width = static_cast<int>(std::lround(std::sqrt(target * shape)));
    const int height = static_cast<int>(std::lround(std::sqrt(target / shape)));
    if (width < 1 || height < 1 || width > picture.width || height > picture.height) continue;
    const auto freeWidth = static_cast<std::uint64_t>(picture.width - width + 1);
    const auto freeHeight = static_cast<std::uint64_t>(picture.height - height + 1);
    const int x = static_cast<int>(random.below(freeWidth));
    const int y = static_cast<int>(random.below(freeHeight));
    return {x, y, width, height};
  }
  const int side = std::min(picture.width, picture.height);
  return {(picture.width - side) / 2, (picture.height - side) / 2, side, side};
}

/// Returns a crop of height x width at a random position of the picture with its black margin.
Picture paddedCrop(const Picture& picture, const AugmentationOptions& options,
                   RandomStream& random) {
  const int padding = options.padding;
  const int freeWidth = std::max(0, picture.width + 2 * padding - options.width);
  const int freeHeight = std::max(0, picture.height + 2 * padding - options.height);
  const int left = static_cast<int>(random.below(static_cast<std::uint64_t>(freeWidth) + 1));
  const int top = static_cast<int>(random.below(static_cast<std::uint64_t>(freeHeight) + 1));
  const std::size_t bytes = static_cast<std::size_t>(options.width) * options.height * 3;
  Picture crop{options.width, options.height, std::vector<std::uint8_t>(bytes), picture.path};
  const int firstColumn = std::max(0, padding - left);
  const int lastColumn = std::min(options.width, picture.width + padding - left);
  for (int row = 0; row < options.height; ++row) {
    const int sourceRow = row + top - padding;
    if (sourceRow < 0 || sourceRow >= picture.height || firstColumn >= lastColumn) continue;
    const std::ptrdiff_t source =
        (static_cast<std::ptrdiff_t>(sourceRow) * picture.width + firstColumn + left - padding) * 3;
    const std::ptrdiff_t target =
        (static_cast<std::ptrdiff_t>(row) * options.width + firstColumn) * 3;
    std::copy_n(picture.rgb.begin() + source, (lastColumn - firstColumn) * 3,
                crop.rgb.begin() + target);
  }
  return crop;
}

/// Writes planes of the changed and normalised colours, with each row mirrored if `flipped`.
void writeChanged(const Picture& picture, const ColourChange& change, bool flipped,
                  const AugmentationOptions& options, float* planes) {
  const auto width = static_cast<std::size_t>(picture.width);
  const std::size_t plane = width * static_cast<std::size_t>(picture.height);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::array<float, 3> row = change.matrix[c];
    const float scale = 1 / (255 * options.deviation[c]);
    const float shift = -options.mean[c] / options.deviation[c];
    float* out = planes + c * plane;
    for (std::size_t i = 0; i < plane; ++i) {
      const std::uint8_t* rgb = picture.rgb.data() + 3 * i;
      const float level = row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2] + change.offset;
      out[i] = std::clamp(level, 0.0f, 255.0f) * scale + shift;
    }
    if (!flipped) continue;
    for (std::size_t i = 0; i < plane; i += width) std::reverse(out + i, out + i + width);
  }
}

}  // namespace

void augment(const Picture& picture, const AugmentationOptions& options, RandomStream& random,
             float* planes) {
  const Picture crop = options.padding > 0
                           ? paddedCrop(picture, options, random)
                           : cropResized(picture, drawRegion(picture, options.smallestArea, random),
                                         options.width, options.height);
  const bool flipped = options.flip && random.chance(0.5);
  const ColourChange change = drawColourChange(crop, options.jitter, random);
  writeChanged(crop, change, flipped, options, planes);
}

void normalisePicture(const Picture& picture, const std::array<float, 3>& mean,
                      const std::array<float, 3>& deviation, float* planes) {
  const std::size_t plane = picture.rgb.size() / 3;
  for (std::size_t c = 0; c < 3; ++c) {
    // Uses the published transform's own operations, so that the values are the same to the last
    // bit.
    std::array<float, 256> levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      levels[i] = (static_cast<float>(i) / 255.0f - mean[c]) / deviation[c];
    }
    float* out = planes + c * plane;
    for (std::size_t i = 0; i < plane; ++i) out[i] = levels[picture.rgb[3 * i + c]];
  }
}

}  // namespace softscope
