#include "core/image/Resample.h"

#include "core/model/TorchErrors.h"

#include <c10/core/InferenceMode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>

namespace softscope {
namespace {

using Filter = InputTransform::Filter;

/// [1, 3, rows, columns] from interleaved bytes. A plain loop, like `storeRounded`: torch would
/// take several passes over a photo, and wait for all its threads after each.
torch::Tensor planes(const std::uint8_t* rgb, std::int64_t rows, std::int64_t columns) {
  auto image = torch::empty({1, 3, rows, columns}, torch::kFloat32);
  const std::int64_t plane = rows * columns;
  float* values = image.data_ptr<float>();
  for (std::int64_t i = 0; i < plane; ++i) {
    for (std::int64_t c = 0; c < 3; ++c) values[c * plane + i] = rgb[3 * i + c];
  }
  return image;
}

/// Rounds [1, 3, rows, columns], halves up as Pillow does, to interleaved bytes at `rgb`.
void storeRounded(const torch::Tensor& image, std::uint8_t* rgb) {
  const torch::Tensor planar = image.contiguous();
  const std::int64_t plane = planar.size(2) * planar.size(3);
  const float* values = planar.data_ptr<float>();
  for (std::int64_t i = 0; i < plane; ++i) {
    for (std::int64_t c = 0; c < 3; ++c) {
      const float level = std::clamp(values[c * plane + i] + 0.5f, 0.0f, 255.0f);
      rgb[3 * i + c] = static_cast<std::uint8_t>(level);
    }
  }
}

torch::Tensor interpolate(const torch::Tensor& image, std::int64_t rows, std::int64_t columns,
                          Filter filter) {
  constexpr bool alignCorners = false;
  const std::array<std::int64_t, 2> size{rows, columns};
  return filter == Filter::Bicubic ? at::_upsample_bicubic2d_aa(image, size, alignCorners)
                                   : at::_upsample_bilinear2d_aa(image, size, alignCorners);
}

Picture blank(int width, int height, const std::string& path) {
  Picture picture{width, height, {}, path};
  picture.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  return picture;
}

Picture withWidth(const Picture& picture, int width, Filter filter) {
  // In bands of rows: the whole of a large photo as floats would be four times its size.
  constexpr std::int64_t bandPixels = 1 << 21;
  const auto band = std::max<std::int64_t>(1, bandPixels / std::max(picture.width, width));
  Picture result = blank(width, picture.height, picture.path);
  for (std::int64_t row = 0; row < picture.height; row += band) {
    const auto rows = std::min<std::int64_t>(band, picture.height - row);
    const auto image = planes(picture.rgb.data() + row * picture.width * 3, rows, picture.width);
    storeRounded(interpolate(image, rows, width, filter), result.rgb.data() + row * width * 3);
  }
  return result;
}

Picture withHeight(const Picture& picture, int height, Filter filter) {
  Picture result = blank(picture.width, height, picture.path);
  const auto image = planes(picture.rgb.data(), picture.height, picture.width);
  storeRounded(interpolate(image, height, picture.width, filter), result.rgb.data());
  return result;
}

}  // namespace

Picture resample(const Picture& picture, int width, int height, Filter filter) {
  const c10::InferenceMode inference;
  return withReadableErrors(picture.path, [&] {
    Picture result = width == picture.width ? picture : withWidth(picture, width, filter);
    return height == picture.height ? result : withHeight(result, height, filter);
  });
}

}  // namespace softscope
