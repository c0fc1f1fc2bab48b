#include "core/image/Orientation.h"

#include "core/image/TiffDirectory.h"

#include <algorithm>
#include <string_view>

namespace softscope {

int exifOrientation(std::span<const std::uint8_t> block) {
  constexpr std::string_view prefix{"Exif\0\0", 6};
  if (block.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), block.begin())) {
    block = block.subspan(prefix.size());
  }
  constexpr std::uint16_t exifOrientationTag = 274;
  const auto orientation = TiffDirectory(block).value(exifOrientationTag, 1);
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

cv::Mat turnUpright(const cv::Mat& stored, int orientation) {
  // 5 to 8 are 1 to 4 with rows and columns exchanged first.
  cv::Mat turned = stored;
  if (orientation >= 5) cv::transpose(stored, turned);
  constexpr int both = -1;
  constexpr int upsideDown = 0;
  constexpr int leftRight = 1;
  cv::Mat upright;
  switch (orientation) {
    case 2:
    case 6:
      cv::flip(turned, upright, leftRight);
      return upright;
    case 3:
    case 7:
      cv::flip(turned, upright, both);
      return upright;
    case 4:
    case 8:
      cv::flip(turned, upright, upsideDown);
      return upright;
    default:
      return turned;
  }
}

}  // namespace softscope
