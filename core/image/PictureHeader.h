#pragma once

#include <cstdint>
#include <vector>

namespace softscope {

/// What a picture file says about itself, read without decoding it.
struct PictureHeader {
  std::uint64_t width = 0;   ///< as stored, before orientation
  std::uint64_t height = 0;  ///< as stored, before orientation
  int orientation = 1;       ///< EXIF's 1 to 8; 1 is upright
  /// The colours are stored multiplied by the alpha beside them.
  bool premultiplied = false;
  /// The bytes to decode in place of the file's; empty where the file's own will do.
  std::vector<std::uint8_t> replacement;
};

}  // namespace softscope
