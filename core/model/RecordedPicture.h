#pragma once

#include <cstdint>
#include <vector>

namespace softscope {

/// The picture that a recording shows its attention on: 8-bit RGB, row-major.
struct RecordedPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  /// False if the file has no picture, and a plain sheet replaces it.
  bool isInFile = true;
};

}  // namespace softscope
