#include "core/image/Orientation.h"

#include "core/image/TiffDirectory.h"

#include <algorithm>
#include <string_view>

namespace softscope {

int exifOrientation(std::span<const std::uint8_t> block) {
  constexpr std::string_view kPrefix{"Exif\0\0", 6};
  if (block.size() > kPrefix.size() && std::equal(kPrefix.begin(), kPrefix.end(), block.begin())) {
    block = block.subspan(kPrefix.size());
  }
  constexpr std::uint16_t kOrientationTag = 274;
  const auto orientation = TiffDirectory(block).value(kOrientationTag, 1);
  return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
}

cv::Mat turnUpright(const cv::Mat& stored, int orientation) {
  // 5 to 8 are 1 to 4 with rows and columns exchanged first.
  cv::Mat turned = stored;
  if (orientation >= 5) cv::transpose(stored, turned);
  constexpr int kBoth = -1;
  constexpr int kUpsideDown = 0;
  constexpr int kLeftRight = 1;
  cv::Mat upright;
  switch (orientation) {
    case 2:
    case 6:
      cv::flip(turned, upright, kLeftRight);
      return upright;
    case 3:
    case 7:
      cv::flip(turned, upright, kBoth);
      return upright;
    case 4:
    case 8:
      cv::flip(turned, upright, kUpsideDown);
      return upright;
    default:
      return turned;
  }
}

}  // namespace softscope
