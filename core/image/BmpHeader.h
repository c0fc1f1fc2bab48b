#pragma once

#include "core/image/EncodedPicture.h"

#include <array>
#include <cstdint>
#include <span>

namespace softscope {

/// What the headers of a BMP say, whichever of their versions they are.
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
  std::uint32_t bits = 0;  ///< a pixel
  std::uint32_t compression = NoCompression;
  std::uint64_t pixels = 0;  ///< where they begin
  /// Red, green, blue and alpha of 16 and 32 bits; 0 for a channel that is not there.
  std::array<std::uint32_t, 4> masks{};
  std::uint64_t palette = 0;        ///< where it begins
  std::uint64_t paletteColors = 0;  ///< 0 where pixels are colours
  std::uint64_t colorBytes = 4;     ///< of a colour in the palette
};

/// Reads them. Throws PictureError for what is damaged or of a kind that is not read; whether the
/// pixels are all there is not looked at.
BmpHeader readBmpHeader(const EncodedPicture& file);

/// The pixels as three bytes each, red first, the top row first, levels of fewer than 8 bits spread
/// over 0 to 255 as Pillow spreads them. `rgb` has room for them. The file was examined
/// (PictureFormat.h).
void decodeBmp(const EncodedPicture& file, std::span<std::uint8_t> rgb);

}  // namespace softscope
