#pragma once

#include "core/image/EncodedPicture.h"

#include <array>
#include <cstdint>
#include <span>

namespace softscope {

/// The content of a BMP's headers, for all of their versions.
struct BmpHeader {
  enum Compression : std::uint32_t {
    NoCompression = 0,
    RunLength8 = 1,
    RunLength4 = 2,
    BitFields = 3,
    AlphaBitFields = 6,
  };

  std::uint64_t width = 0;
  std::uint64_t height = 0;
  bool topDown = false;
  std::uint32_t bits = 0;  ///< bits per pixel
  std::uint32_t compression = NoCompression;
  std::uint64_t pixels = 0;  ///< offset of the pixels in the file
  /// Masks for red, green, blue and alpha in pixels of 16 or 32 bits; 0 for a missing channel.
  std::array<std::uint32_t, 4> masks{};
  std::uint64_t palette = 0;        ///< offset of the palette in the file
  std::uint64_t paletteColors = 0;  ///< 0 if pixels hold colours directly
  std::uint64_t colorBytes = 4;     ///< bytes per colour in the palette
};

/// Reads the headers. Throws PictureError if they are damaged or of an unsupported kind. Does not
/// check that the pixels are complete.
BmpHeader readBmpHeader(const EncodedPicture& file);

/// Decodes the pixels into `rgb`, which must have room for them: three bytes each, red first, the
/// top row first. Levels of fewer than 8 bits are spread over 0 to 255 as Pillow does. The file
/// must have been examined (PictureFormat.h).
void decodeBmp(const EncodedPicture& file, std::span<std::uint8_t> rgb);

}  // namespace softscope
