#pragma once

#include "core/image/Picture.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace softscope {

/// The orientations, 1 to 8, found in a file. For each place that can hold one, the first is kept.
struct StatedOrientation {
  std::optional<int> exif;
  std::optional<int> xmp;
  std::optional<int> text;  ///< ImageMagick's exif:Orientation

  /// Returns EXIF's orientation before XMP's before the text's, as other readers do; 1, upright, if
  /// there is none.
  int chosen() const { return exif.value_or(xmp.value_or(text.value_or(1))); }
};

/// Returns the orientation, 1 to 8, in an EXIF block (a TIFF directory, with or without "Exif\0\0"
/// in front); nothing if the block has none or cannot be read.
std::optional<int> exifOrientation(std::span<const std::uint8_t> block);

/// Returns the tiff:Orientation, 1 to 8, in an XMP packet, whether it is an attribute or an
/// element.
std::optional<int> xmpOrientation(std::string_view packet);

/// Returns `1` to `8` as a number; nothing for any other text.
std::optional<int> orientationDigit(std::string_view text);

/// Turns a picture upright that is stored with this orientation, 1 to 8.
void turnUpright(Picture& picture, int orientation);

}  // namespace softscope
