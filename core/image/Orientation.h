#pragma once

#include "core/image/Picture.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace softscope {

/// The orientations, 1 to 8, that the places of a file give, each from the first of its kind.
struct StatedOrientation {
  std::optional<int> exif;
  std::optional<int> xmp;
  std::optional<int> text;  ///< ImageMagick's exif:Orientation

  /// EXIF's before XMP's before the text's, as other readers take them; 1, upright, where there is
  /// none.
  int chosen() const { return exif.value_or(xmp.value_or(text.value_or(1))); }
};

/// The orientation, 1 to 8, that an EXIF block (a TIFF directory, with or without "Exif\0\0" in
/// front) gives the picture; nothing where it gives none or cannot be read.
std::optional<int> exifOrientation(std::span<const std::uint8_t> block);

/// The tiff:Orientation, 1 to 8, in a packet of XMP, as attribute or as element.
std::optional<int> xmpOrientation(std::string_view packet);

/// `1` to `8` as a number; nothing for other texts.
std::optional<int> orientationDigit(std::string_view text);

/// Turns the picture from how it is stored to how it is meant to be seen.
void turnUpright(Picture& picture, int orientation);

}  // namespace softscope
