#include "core/image/Orientation.h"

#include "core/image/TiffDirectory.h"

#include <opencv2/core.hpp>

#include <algorithm>
#include <utility>

namespace softscope {

std::optional<int> exifOrientation(std::span<const std::uint8_t> block) {
  constexpr std::string_view prefix{"Exif\0\0", 6};
  if (block.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), block.begin())) {
    block = block.subspan(prefix.size());
  }
  constexpr std::uint16_t exifOrientationTag = 274;
  const auto orientation = TiffDirectory(block).value(exifOrientationTag, 0);
  if (orientation < 1 || orientation > 8) return std::nullopt;
  return static_cast<int>(orientation);
}

std::optional<int> orientationDigit(std::string_view text) {
  if (text.size() != 1 || text[0] < '1' || text[0] > '8') return std::nullopt;
  return text[0] - '0';
}

std::optional<int> xmpOrientation(std::string_view packet) {
  constexpr std::string_view name = "tiff:Orientation";
  constexpr std::string_view blanks = " \t\r\n";
  for (auto at = packet.find(name); at != packet.npos; at = packet.find(name, at)) {
    at += name.size();
    // Attributes have `="6"`, elements `>6<`; a closing tag has no digit after its name.
    const auto digit = packet.find_first_not_of(" \t\r\n='\">", at);
    if (digit == packet.npos || digit == at) continue;
    const auto after = packet.find_first_not_of(blanks, digit + 1);
    const bool ends = after != packet.npos &&
                      std::string_view("'\"<").find(packet[after]) != std::string_view::npos;
    if (!ends) continue;
    if (const auto found = orientationDigit(packet.substr(digit, 1))) return found;
  }
  return std::nullopt;
}

void turnUpright(Picture& picture, int orientation) {
  // Orientations 5 to 8 are 1 to 4 after exchanging rows and columns.
  if (orientation >= 5) {
    std::vector<std::uint8_t> turned(picture.rgb.size());
    const cv::Mat stored(picture.height, picture.width, CV_8UC3, picture.rgb.data());
    cv::Mat exchanged(picture.width, picture.height, CV_8UC3, turned.data());
    cv::transpose(stored, exchanged);
    std::swap(picture.width, picture.height);
    picture.rgb = std::move(turned);
  }
  constexpr int both = -1;
  constexpr int upsideDown = 0;
  constexpr int leftRight = 1;
  cv::Mat pixels(picture.height, picture.width, CV_8UC3, picture.rgb.data());
  switch (orientation) {
    case 2:
    case 6:
      cv::flip(pixels, pixels, leftRight);
      break;
    case 3:
    case 7:
      cv::flip(pixels, pixels, both);
      break;
    case 4:
    case 8:
      cv::flip(pixels, pixels, upsideDown);
      break;
    default:
      break;
  }
}

}  // namespace softscope
