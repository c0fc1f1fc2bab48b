#pragma once

#include <cstdint>
#include <vector>

namespace softscope {

/// The picture that a recording shows its attention on: 8-bit RGB, row-major.
struct RecordedPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;
  /// False where the file has none, and a plain sheet stands for it.
  bool isInFile = true;
};

}  // namespace softscope
