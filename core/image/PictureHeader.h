#pragma once

#include "core/image/PictureReading.h"

#include <cstdint>
#include <string>
#include <vector>

namespace softscope {

/// What a picture file says about itself, read without decoding it.
struct PictureHeader {
  std::uint64_t width = 0;   ///< as stored, before orientation
  std::uint64_t height = 0;  ///< as stored, before orientation
  int orientation = 1;       ///< EXIF's 1 to 8; 1 is upright
  int bits = 8;              ///< of a sample: 16, or 8 where there are fewer
  /// One sample a pixel means its brightness.
  bool isGrey = false;
  /// The largest sample is black, and the decoder hands samples on as they are.
  bool isNegative = false;
  bool hasAlpha = false;
  /// The colours are stored multiplied by the alpha beside them.
  bool premultiplied = false;
  /// The decoder keeps the whole picture between passes over it.
  bool isProgressive = false;
  std::uint64_t pages = 1;
  PageKind pageKind = PageKind::Page;
  /// How colours are meant, where that is not sRGB: "its colour profile Display P3".
  std::string profile;
  /// The bytes to decode in place of the file's; empty where the file's own will do.
  std::vector<std::uint8_t> replacement;
};

}  // namespace softscope
