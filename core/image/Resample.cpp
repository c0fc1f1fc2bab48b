#include "core/image/Resample.h"

#include "core/tensor/TorchErrors.h"

#include <c10/core/InferenceMode.h>
#include <torch/types.h>

#include <algorithm>
#include <array>

namespace softscope {
namespace {

using Filter = InputTransform::Filter;

/// A block of rows of interleaved bytes; `columns` pixels of each row are used.
template <typename Byte>
struct PixelBlock {
  Byte* rgb;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t stride;  ///< pixels from one row to the next
};

/// Converts interleaved bytes to [1, 3, rows, columns]. A plain loop, as in `storeRounded`: torch
/// would take several passes over a photo, and wait for all its threads after each.
torch::Tensor planes(const PixelBlock<const std::uint8_t>& block) {
  auto image = torch::empty({1, 3, block.rows, block.columns}, torch::kFloat32);
  const std::int64_t plane = block.rows * block.columns;
  float* values = image.data_ptr<float>();
  for (std::int64_t y = 0; y < block.rows; ++y) {
    const std::uint8_t* rgb = block.rgb + y * block.stride * 3;
    for (std::int64_t x = 0; x < block.columns; ++x, ++values) {
      for (std::int64_t c = 0; c < 3; ++c) values[c * plane] = rgb[3 * x + c];
    }
  }
  return image;
}

/// Rounds [1, 3, rows, columns] to interleaved bytes; halves are rounded up, as in Pillow.
void storeRounded(const torch::Tensor& image, const PixelBlock<std::uint8_t>& block) {
  const torch::Tensor planar = image.contiguous();
  const std::int64_t plane = block.rows * block.columns;
  const float* values = planar.data_ptr<float>();
  for (std::int64_t y = 0; y < block.rows; ++y) {
    std::uint8_t* rgb = block.rgb + y * block.stride * 3;
    for (std::int64_t x = 0; x < block.columns; ++x, ++values) {
      for (std::int64_t c = 0; c < 3; ++c) {
        const float level = std::clamp(values[c * plane] + 0.5f, 0.0f, 255.0f);
        rgb[3 * x + c] = static_cast<std::uint8_t>(level);
      }
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

/// Number of pixels converted to floats at a time: as floats, a large photo would take four times
/// its size, and a worker's heap keeps memory once it has been used.
constexpr std::int64_t bandPixels = 1 << 18;

/// Resizes the width, in bands of rows.
Picture withWidth(const Picture& picture, int width, Filter filter) {
  const auto band = std::max<std::int64_t>(1, bandPixels / std::max(picture.width, width));
  Picture result = blank(width, picture.height, picture.path);
  for (std::int64_t row = 0; row < picture.height; row += band) {
    const auto rows = std::min<std::int64_t>(band, picture.height - row);
    const auto image =
        planes({picture.rgb.data() + row * picture.width * 3, rows, picture.width, picture.width});
    storeRounded(interpolate(image, rows, width, filter),
                 {result.rgb.data() + row * width * 3, rows, width, width});
  }
  return result;
}

/// Resizes the height, in bands of columns.
Picture withHeight(const Picture& picture, int height, Filter filter) {
  const auto band = std::max<std::int64_t>(1, bandPixels / std::max(picture.height, height));
  Picture result = blank(picture.width, height, picture.path);
  for (std::int64_t column = 0; column < picture.width; column += band) {
    const auto columns = std::min<std::int64_t>(band, picture.width - column);
    const auto image =
        planes({picture.rgb.data() + column * 3, picture.height, columns, picture.width});
    storeRounded(interpolate(image, height, columns, filter),
                 {result.rgb.data() + column * 3, height, columns, picture.width});
  }
  return result;
}

}  // namespace

Picture resample(const Picture& picture, int width, int height, Filter filter) {
  const c10::InferenceMode inference;
  return withReadableErrors(picture.path, [&] {
    if (width == picture.width) {
      return height == picture.height ? picture : withHeight(picture, height, filter);
    }
    Picture result = withWidth(picture, width, filter);
    return height == picture.height ? result : withHeight(result, height, filter);
  });
}

InputTensor resample(const InputTensor& input, int width, int height, Filter filter) {
  if (width == input.width && height == input.height) return input;
  const c10::InferenceMode inference;
  return withReadableErrors({}, [&] {
    auto planes = torch::empty({1, input.channels, input.height, input.width}, torch::kFloat32);
    std::copy(input.values.begin(), input.values.end(), planes.data_ptr<float>());
    const torch::Tensor resized = interpolate(planes, height, width, filter).contiguous();
    const float* values = resized.data_ptr<float>();
    return InputTensor{height, width, {values, values + resized.numel()}, input.channels};
  });
}

}  // namespace softscope
