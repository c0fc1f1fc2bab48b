#include "core/image/PreparedPicture.h"

#include "core/Error.h"
#include "core/image/Resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace softscope {
namespace {

constexpr std::int64_t longestPreparedSide = 8192;
/// Most pixels of the resized picture before the crop, and of the intermediate step.
constexpr std::int64_t maxResizedPixels = 100'000'000;

/// Sizes in pixels: the picture is resized to width x height, and cropWidth x cropHeight of that
/// are kept.
struct Layout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t cropWidth = 0;
  std::int64_t cropHeight = 0;
};

std::string sizeText(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

/// Rounds spare / 2 like Python's int(round(spare / 2.0)), halves going to the even neighbour, or
/// floors it.
std::int64_t cropStart(std::int64_t spare, InputTransform::CropStart start) {
  const std::int64_t half = spare / 2;
  const bool isFloored = start == InputTransform::CropStart::Floored;
  return spare % 2 == 0 || isFloored ? half : half + half % 2;
}

/// Returns int(size / cropFraction).
std::int64_t covering(int size, const InputTransform& transform) {
  // 128 / (128 / 186.0) is slightly less than 186.
  constexpr double rounding = 1e-9;
  return static_cast<std::int64_t>(size / transform.cropFraction + rounding);
}

/// Places the crop in the centre of a layout's resized picture.
void cropCentre(const InputTransform& transform, Layout& layout) {
  layout.cropWidth = transform.width;
  layout.cropHeight = transform.height;
  layout.left = cropStart(layout.width - layout.cropWidth, transform.cropStart);
  layout.top = cropStart(layout.height - layout.cropHeight, transform.cropStart);
}

/// Sizes a resized picture as timm's ResizeKeepRatio does, which rounds both of its sides, halves
/// to the even neighbour; torchvision's Resize, for square crops, cuts off the longer one.
void keepRatio(const Picture& picture, std::int64_t coverWidth, std::int64_t coverHeight,
               Layout& layout) {
  const double ratio =
      std::min(static_cast<double>(picture.height) / static_cast<double>(coverHeight),
               static_cast<double>(picture.width) / static_cast<double>(coverWidth));
  layout.width = static_cast<std::int64_t>(std::nearbyint(picture.width / ratio));
  layout.height = static_cast<std::int64_t>(std::nearbyint(picture.height / ratio));
}

/// Lays out torchvision's Resize(int(size / cropFraction)) and CenterCrop(size). For a crop that is
/// not square, the resized picture is the smallest in its own proportions that covers int(width /
/// cropFraction) x int(height / cropFraction), as in timm.
Layout centreCrop(const Picture& picture, const InputTransform& transform) {
  const std::int64_t coverWidth = covering(transform.width, transform);
  const std::int64_t coverHeight = covering(transform.height, transform);
  const std::int64_t width = picture.width;
  const std::int64_t height = picture.height;
  Layout layout;
  if (coverWidth != coverHeight) {
    keepRatio(picture, coverWidth, coverHeight, layout);
  } else if (width <= height) {
    layout.width = coverWidth;
    layout.height = coverWidth * height / width;
  } else {
    layout.width = coverHeight * width / height;
    layout.height = coverHeight;
  }
  cropCentre(transform, layout);
  return layout;
}

/// Lays out torchvision's Resize((int(height / cropFraction), int(width / cropFraction))) and
/// CenterCrop.
Layout squeezedCrop(const InputTransform& transform) {
  Layout layout;
  layout.width = covering(transform.width, transform);
  layout.height = covering(transform.height, transform);
  cropCentre(transform, layout);
  return layout;
}

/// Returns the multiple that is nearest to `side`; halves go to the even one, as Python's round()
/// has them.
std::int64_t nearestMultiple(double side, int multiple) {
  return static_cast<std::int64_t>(std::nearbyint(side / multiple)) * multiple;
}

/// Lays out DPT's get_resize_output_image_size() with keep_aspect_ratio.
Layout leastScaled(const Picture& picture, const InputTransform& transform) {
  const double scaleHeight = static_cast<double>(transform.height) / picture.height;
  const double scaleWidth = static_cast<double>(transform.width) / picture.width;
  const bool fitsWidth = std::abs(1 - scaleWidth) < std::abs(1 - scaleHeight);
  const double scale = fitsWidth ? scaleWidth : scaleHeight;
  Layout layout;
  layout.height = nearestMultiple(scale * picture.height, transform.fit.multiple);
  layout.width = nearestMultiple(scale * picture.width, transform.fit.multiple);
  return layout;
}

/// Lays out SigLIP 2's get_image_size_for_max_num_patches(), whose search for the scale is the same
/// step by step.
Layout withMostPatches(const Picture& picture, const InputTransform::Fit& fit) {
  const auto sideAt = [&](double scale, int side) {
    const double patches = std::ceil(side * scale / fit.multiple);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(patches)) * fit.multiple;
  };
  constexpr double smallestStep = 1e-5;
  double least = smallestStep / 10;
  double most = 100;
  while (most - least >= smallestStep) {
    const double scale = (least + most) / 2;
    const std::int64_t patches = sideAt(scale, picture.height) / fit.multiple *
                                 (sideAt(scale, picture.width) / fit.multiple);
    (patches <= fit.mostPatches ? least : most) = scale;
  }
  Layout layout;
  layout.height = sideAt(least, picture.height);
  layout.width = sideAt(least, picture.width);
  return layout;
}

Layout fitted(const Picture& picture, const InputTransform& transform) {
  Layout layout = transform.fit.mostPatches > 0 ? withMostPatches(picture, transform.fit)
                                                : leastScaled(picture, transform);
  layout.cropWidth = layout.width;
  layout.cropHeight = layout.height;
  return layout;
}

Layout layoutOf(const Picture& picture, const InputTransform& transform) {
  switch (transform.extent) {
    case InputTransform::Extent::CentreCrop:
      return centreCrop(picture, transform);
    case InputTransform::Extent::SqueezedCrop:
      return squeezedCrop(transform);
    case InputTransform::Extent::Whole:
      return {transform.width, transform.height, 0, 0, transform.width, transform.height};
    case InputTransform::Extent::Fitted:
      return fitted(picture, transform);
    case InputTransform::Extent::FullSize:
    case InputTransform::Extent::Recorded:
      break;
  }
  return {picture.width, picture.height, 0, 0, picture.width, picture.height};
}

void checkPicture(const Picture& picture) {
  const auto pixels = static_cast<std::size_t>(std::max(picture.width, 0)) *
                      static_cast<std::size_t>(std::max(picture.height, 0));
  if (pixels == 0 || picture.rgb.size() != pixels * 3) {
    throw InspectionError("There is no picture to prepare.");
  }
}

void checkTransform(const Picture& picture, const InputTransform& transform) {
  if (transform.channels != 1 && transform.channels != 3) {
    throw InspectionError("this network takes " + std::to_string(transform.channels) +
                          " channels, and a picture has one (grey) or three; give a normalised "
                          ".npy [1, " +
                          std::to_string(transform.channels) + ", H, W]");
  }
  const bool full = transform.extent == InputTransform::Extent::FullSize;
  const std::int64_t width = full ? picture.width : transform.width;
  const std::int64_t height = full ? picture.height : transform.height;
  if (std::min(width, height) < 1 || std::max(width, height) > longestPreparedSide) {
    throw InspectionError("An input of " + sizeText(width, height) +
                          " pixels cannot be made: each side must be from 1 to " +
                          std::to_string(longestPreparedSide) + ".");
  }
  const double fraction = transform.cropFraction;
  const bool crops = transform.extent == InputTransform::Extent::CentreCrop ||
                     transform.extent == InputTransform::Extent::SqueezedCrop;
  if (crops && !(fraction >= 0.01 && fraction <= 1)) {
    throw InspectionError("The crop fraction must be from 0.01 to 1, and not " +
                          std::to_string(fraction) + ".");
  }
  for (const float deviation : transform.deviation) {
    if (!(std::abs(deviation) > 0)) {
      throw InspectionError(
          "The input cannot be normalised by a deviation of 0; choose another with --std.");
    }
  }
}

void checkLayout(const Picture& picture, const Layout& layout) {
  if (std::min(layout.width, layout.height) < 1) {
    throw InspectionError("A picture of " + sizeText(picture.width, picture.height) +
                          " pixels is too narrow for this network's size; choose one with --size.");
  }
  const std::int64_t tallest = std::max<std::int64_t>(layout.height, picture.height);
  if (layout.width * tallest <= maxResizedPixels) return;
  throw InspectionError("A picture of " + sizeText(picture.width, picture.height) +
                        " pixels cannot be resized to " + sizeText(layout.width, layout.height) +
                        ": that takes more than 100 megapixels.");
}

/// Returns the results of ToTensor and Normalize for each of the 256 levels, computed with the same
/// float operations.
std::array<float, 256> normalisedLevels(float mean, float deviation) {
  std::array<float, 256> levels;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = (static_cast<float>(i) / 255.0f - mean) / deviation;
  }
  return levels;
}

InputTensor normalise(const Picture& resized, const Layout& layout,
                      const InputTransform& transform) {
  InputTensor input;
  input.width = static_cast<int>(layout.cropWidth);
  input.height = static_cast<int>(layout.cropHeight);
  const auto plane = static_cast<std::size_t>(layout.cropWidth * layout.cropHeight);
  input.channels = transform.channels;
  const auto channels = static_cast<std::size_t>(transform.channels);
  input.values.resize(channels * plane);
  for (std::size_t c = 0; c < channels; ++c) {
    const auto levels = normalisedLevels(transform.mean[c], transform.deviation[c]);
    float* out = input.values.data() + c * plane;
    for (std::int64_t y = 0; y < layout.cropHeight; ++y) {
      const std::int64_t start = ((layout.top + y) * resized.width + layout.left) * 3;
      const std::uint8_t* in = resized.rgb.data() + start + c;
      for (std::int64_t x = 0; x < layout.cropWidth; ++x) *out++ = levels[in[3 * x]];
    }
  }
  return input;
}

/// Returns the picture in grey as Pillow's convert("L") makes it, as three equal channels.
Picture greyOf(const Picture& picture) {
  Picture grey = picture;
  for (std::size_t i = 0; i + 2 < grey.rgb.size(); i += 3) {
    const std::uint32_t level =
        (grey.rgb[i] * 19595U + grey.rgb[i + 1] * 38470U + grey.rgb[i + 2] * 7471U + 0x8000U) >> 16;
    std::fill_n(grey.rgb.begin() + static_cast<std::ptrdiff_t>(i), 3,
                static_cast<std::uint8_t>(level));
  }
  return grey;
}

PictureRegion regionOf(const Picture& picture, const Layout& layout) {
  const double scaleX = static_cast<double>(picture.width) / static_cast<double>(layout.width);
  const double scaleY = static_cast<double>(picture.height) / static_cast<double>(layout.height);
  return {static_cast<double>(layout.left) * scaleX, static_cast<double>(layout.top) * scaleY,
          static_cast<double>(layout.cropWidth) * scaleX,
          static_cast<double>(layout.cropHeight) * scaleY};
}

/// Returns the part of this picture that has the same relative size as the part of its own picture
/// that the recording's network saw.
PictureRegion recordedRegion(const Picture& picture, const RecordedPart& part) {
  const double scaleX = static_cast<double>(picture.width) / part.width;
  const double scaleY = static_cast<double>(picture.height) / part.height;
  return {part.region.x * scaleX, part.region.y * scaleY, part.region.width * scaleX,
          part.region.height * scaleY};
}

/// Returns the part of an input that a layout keeps.
InputTensor cropped(const InputTensor& input, const Layout& layout) {
  InputTensor part{
      static_cast<int>(layout.cropHeight), static_cast<int>(layout.cropWidth), {}, input.channels};
  part.values.reserve(
      static_cast<std::size_t>(part.channels * layout.cropHeight * layout.cropWidth));
  for (std::int64_t row = 0; row < part.channels * layout.cropHeight; ++row) {
    const std::int64_t channel = row / layout.cropHeight;
    const std::int64_t y = layout.top + row % layout.cropHeight;
    const auto begin =
        input.values.begin() + (channel * input.height + y) * input.width + layout.left;
    part.values.insert(part.values.end(), begin, begin + layout.cropWidth);
  }
  return part;
}

}  // namespace

InputTensor resizedInput(const InputTensor& input, int side, const InputTransform& transform) {
  InputTransform sized = transform;
  sized.extent = InputTransform::Extent::CentreCrop;
  sized.height = side;
  sized.width = side;
  sized.cropFraction = 1;
  const Picture shape{input.width, input.height, {}, {}};
  const Layout layout = layoutOf(shape, sized);
  checkLayout(shape, layout);
  return cropped(resample(input, static_cast<int>(layout.width), static_cast<int>(layout.height),
                          sized.filter),
                 layout);
}

PreparedPicture preparePicture(const Picture& picture, const InputTransform& transform) {
  checkPicture(picture);
  if (transform.extent == InputTransform::Extent::Recorded) {
    return {{transform.height, transform.width, {}}, recordedRegion(picture, transform.part)};
  }
  checkTransform(picture, transform);
  const Layout layout = layoutOf(picture, transform);
  checkLayout(picture, layout);
  const auto prepared = [&](const Picture& source) {
    const Picture resized = resample(source, static_cast<int>(layout.width),
                                     static_cast<int>(layout.height), transform.filter);
    return PreparedPicture{normalise(resized, layout, transform), regionOf(source, layout)};
  };
  // A choice in the argument would copy a picture that stays as it is.
  return transform.channels == 1 ? prepared(greyOf(picture)) : prepared(picture);
}

}  // namespace softscope
