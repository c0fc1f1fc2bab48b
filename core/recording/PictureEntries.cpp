#include "core/checkpoint/ElementType.h"
#include "core/files/Malformed.h"
#include "core/recording/CheckedArrays.h"
#include "core/recording/RecordedLayer.h"
#include "core/text/FileText.h"

#include <algorithm>
#include <cmath>

namespace softscope {

namespace {

constexpr int longestPictureSide = 8192;
constexpr std::int64_t mostPicturePixels = 100'000'000;

RecordedPicture readPixels(const RecordingFile& file) {
  torch::Tensor pixels = *file.array("picture");
  if (pixels.dim() == 4 && pixels.size(0) == 1) pixels = pixels[0];
  const bool fits = pixels.scalar_type() == torch::kUInt8 && pixels.dim() == 3 &&
                    pixels.size(2) == 3 && pixels.numel() > 0 &&
                    pixels.size(0) * pixels.size(1) <= mostPicturePixels;
  if (!fits) {
    throw Malformed("'picture' is " + shapeText(pixels) + " of " +
                    std::string(elementTypeName(pixels.scalar_type())) +
                    ", and should be uint8 [height, width, 3], red first");
  }
  pixels = pixels.contiguous();
  const std::uint8_t* data = pixels.data_ptr<std::uint8_t>();
  return {static_cast<int>(pixels.size(1)),
          static_cast<int>(pixels.size(0)),
          {data, data + pixels.numel()}};
}

std::array<float, 3> threeFloats(const RecordingFile& file, const std::string& key) {
  if (!file.has(key)) {
    throw Malformed("has 'input' without " + quotedText(key) +
                    ", of which its colours cannot be told; give mean and std, three numbers each");
  }
  const torch::Tensor values = CheckedArrays(file).floats(key, "[3]", {3});
  const float* data = values.data_ptr<float>();
  return {data[0], data[1], data[2]};
}

/// Recovers the picture from a normalised input; writes its mean and deviation to `transform`.
RecordedPicture readInput(const RecordingFile& file, InputTransform& transform) {
  const torch::Tensor input = CheckedArrays(file).floats("input", "[3, height, width]");
  if (input.size(0) != 3 || input.size(1) > longestPictureSide ||
      input.size(2) > longestPictureSide) {
    throw Malformed("'input' is " + shapeText(input) +
                    ", and should be [3, height, width] of at most 8192 pixels a side");
  }
  transform.mean = threeFloats(file, "mean");
  transform.deviation = threeFloats(file, "std");
  RecordedPicture picture{static_cast<int>(input.size(2)), static_cast<int>(input.size(1)), {}};
  const std::size_t pixels = static_cast<std::size_t>(picture.width) * picture.height;
  picture.rgb.resize(3 * pixels);
  const float* values = input.data_ptr<float>();
  constexpr float half = 0.5f;  // of a level, which is rounded away in any picture
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t i = 0; i < pixels; ++i) {
      const float value =
          values[channel * pixels + i] * transform.deviation[channel] + transform.mean[channel];
      const float level = 255 * std::clamp(value, 0.0f, 1.0f);
      picture.isCut = picture.isCut || !(std::abs(255 * value - level) <= half);
      picture.rgb[3 * i + channel] = static_cast<std::uint8_t>(std::lround(level));
    }
  }
  return picture;
}

/// Returns a plain sheet. The network's view has sixteen pixels for each patch of the first layer
/// with patches; the sheet itself has fewer if it would be large.
RecordedPicture plainSheet(const std::vector<RecordedLayer>& layers, InputTransform& transform) {
  constexpr int usualPixelsPerPatch = 16;
  constexpr int usualSide = 224;
  constexpr int largeSide = 1024;
  constexpr std::uint8_t lightGrey = 216;
  TokenGrid grid{usualSide / usualPixelsPerPatch, usualSide / usualPixelsPerPatch};
  for (const RecordedLayer& layer : layers) {
    const AttentionDescription& attention = layer.record.description;
    if (!attention.queryGrid && !attention.keyGrid) continue;
    grid = attention.queryGrid ? *attention.queryGrid : *attention.keyGrid;
    break;
  }
  const int pixelsPerPatch =
      std::clamp(largeSide / std::max(grid.width, grid.height), 1, usualPixelsPerPatch);
  transform.width = std::min(usualPixelsPerPatch * grid.width, longestPictureSide);
  transform.height = std::min(usualPixelsPerPatch * grid.height, longestPictureSide);
  RecordedPicture sheet{std::min(pixelsPerPatch * grid.width, longestPictureSide),
                        std::min(pixelsPerPatch * grid.height, longestPictureSide),
                        {},
                        false};
  sheet.rgb.assign(3 * static_cast<std::size_t>(sheet.width) * sheet.height, lightGrey);
  return sheet;
}

PictureRegion readRegion(const RecordingFile& file, const RecordedPicture& picture) {
  const PictureRegion whole{0, 0, double(picture.width), double(picture.height)};
  const torch::Tensor values = CheckedArrays(file).doubles("region", "[4]");
  if (!values.defined()) return whole;
  const double* sides = values.data_ptr<double>();
  // If a picture was resized before it was cropped, rounding may leave half a pixel outside.
  constexpr double rounding = 0.5;
  const bool inside = values.size(0) == 4 && sides[0] >= -rounding && sides[1] >= -rounding &&
                      sides[2] > 0 && sides[3] > 0 &&
                      sides[0] + sides[2] <= whole.width + rounding &&
                      sides[1] + sides[3] <= whole.height + rounding;
  if (inside) return {sides[0], sides[1], sides[2], sides[3]};
  throw Malformed("'region' should be x, y, width and height of a part of the picture, in pixels");
}

}  // namespace

void fillPicture(const RecordingFile& file, Recording& recording) {
  InputTransform& transform = recording.transform;
  transform.extent = InputTransform::Extent::Recorded;
  auto picture = std::make_shared<RecordedPicture>();
  if (file.has("picture")) {
    *picture = readPixels(file);
  } else if (file.has("input")) {
    *picture = readInput(file, transform);
  } else {
    *picture = plainSheet(recording.layers, transform);
  }
  if (picture->isInFile) {
    transform.height = picture->height;
    transform.width = picture->width;
  }
  if (file.has("input_size")) {
    const auto size = CheckedArrays(file).integers("input_size", 1, longestPictureSide, 2);
    if (size.size() != 2) throw Malformed("'input_size' should be [height, width]");
    transform.height = size[0];
    transform.width = size[1];
  }
  transform.part = {readRegion(file, *picture), picture->width, picture->height};
  recording.picture = std::move(picture);
}

}  // namespace softscope
