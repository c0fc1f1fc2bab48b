#pragma once

#include "tests/core/image/Fixtures.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace softscope::test {

/// Appends a number in little-endian order.
void append(Bytes& bytes, std::uint64_t value, int width);
void append(Bytes& bytes, const Bytes& more);
Bytes bytesOf(const std::string& text);

/// The header fields of a BMP in one of its versions.
struct BmpRecipe {
  std::uint32_t headerSize = 40;
  int width = 0;
  int height = 0;  ///< negative: the first row is the top one
  int bits = 24;
  std::uint32_t compression = 0;
  /// Masks of red, green, blue and alpha; written if the header's size and the compression provide
  /// for them.
  std::vector<std::uint32_t> masks;
  /// Colours as red, green, blue.
  std::vector<std::array<std::uint8_t, 3>> palette;
  Bytes pixels;
};

Bytes bmpOf(const BmpRecipe& recipe);

/// Returns rows of a picture's pixels with 16 or 32 bits, the bottom row first, with each channel's
/// upper bits where its mask is, and `alpha` where the fourth mask is.
Bytes maskedRows(const Picture& picture, int bits, const std::vector<std::uint32_t>& masks,
                 std::uint8_t alpha = 77);

/// A page of an uncompressed, little-endian TIFF with one strip. `tags` are shorts that are added
/// to the usual ones or replace them.
struct TiffPage {
  int width = 0;
  int height = 0;
  int samples = 1;
  int bits = 16;
  int photometric = 1;
  Bytes pixels;
  std::map<int, int> tags{};
  /// Tags with bytes as values.
  std::map<int, Bytes> blocks{};
  std::string description{};
};

Bytes tiffOf(const std::vector<TiffPage>& pages);

/// Returns a PNG fixture with an additional chunk after its header.
Bytes pngWith(const Bytes& png, const std::string& type, const Bytes& content);

/// Returns samples of two bytes each.
Bytes wide(const std::vector<std::uint16_t>& samples);

}  // namespace softscope::test
