#pragma once

#include "core/image/PictureReading.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// The description that a picture file gives of itself, read without decoding it.
struct PictureHeader {
  std::uint64_t width = 0;   ///< as stored, before orientation
  std::uint64_t height = 0;  ///< as stored, before orientation
  int orientation = 1;       ///< EXIF's 1 to 8; 1 is upright
  int bits = 8;              ///< bits per sample: 16, or 8 for 8 and fewer
  /// True if a pixel is a single sample, its brightness.
  bool isGrey = false;
  /// True if the largest sample is black. The decoder passes samples on unchanged.
  bool isNegative = false;
  bool hasAlpha = false;
  /// True if the stored colours are multiplied by the alpha beside them.
  bool premultiplied = false;
  /// True if the decoder keeps the whole picture between passes over it.
  bool isProgressive = false;
  std::uint64_t pages = 1;
  PageKind pageKind = PageKind::Page;
  /// Description of the colour profile if it is not sRGB: "its colour profile Display P3".
  std::string profile;
  /// The bytes to decode instead of the file's; empty if the file can be decoded as it is.
  std::vector<std::uint8_t> replacement;
};

}  // namespace softscope
