#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

namespace softscope {
namespace {

using namespace std::string_view_literals;

constexpr std::uint8_t startOfImage = 0xd8;
constexpr std::uint8_t endOfImage = 0xd9;
constexpr std::uint8_t startOfScan = 0xda;
constexpr std::uint8_t exifSegment = 0xe1;
constexpr std::uint8_t adobeSegment = 0xee;

/// Markers that stand alone, with no length after them.
bool standsAlone(std::uint8_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= startOfImage);
}

bool isFrame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/// Baseline, extended and progressive, with either entropy coder; not lossless, not hierarchical.
bool isReadableFrame(std::uint8_t marker) {
  return marker <= 0xc2 || marker == 0xc9 || marker == 0xca;
}

/// Goes from marker to marker up to the end of the image; what follows that is not looked at.
class JpegWalk {
 public:
  explicit JpegWalk(const EncodedPicture& file) : file_(file) {}

  PictureHeader header() {
    position_ = 2;
    while (true) {
      const std::uint8_t marker = nextMarker();
      if (marker == endOfImage) break;
      if (!standsAlone(marker)) readSegment(marker);
    }
    finish();
    return header_;
  }

 private:
  /// The next 0xff that is followed by a marker. In entropy-coded data 0xff is followed by 0 where
  /// it is data, and fill bytes of 0xff may stand before any marker.
  std::uint8_t nextMarker() {
    while (true) {
      const auto rest = file_.slice(position_, file_.size() - position_);
      const void* found = rest.empty() ? nullptr : std::memchr(rest.data(), 0xff, rest.size());
      if (!found) file_.refuseAsCutShort();
      position_ += static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - rest.data());
      const std::uint8_t code = file_.byte(position_ + 1);
      position_ += code == 0xff ? 1 : 2;
      if (code != 0xff && code != 0) return code;
    }
  }

  void readSegment(std::uint8_t marker) {
    const std::size_t length = file_.big16(position_);
    if (length < 2) file_.refuse("is damaged: a JPEG segment has no length");
    const std::size_t body = position_ + 2;
    const auto content = file_.slice(body, length - 2);
    if (isFrame(marker)) {
      readFrame(marker, body);
    } else if (marker == startOfScan) {
      ++scans_;
    } else if (marker == exifSegment && !hasExif_ && file_.holds(body, "Exif\0\0"sv)) {
      hasExif_ = true;
      header_.orientation = exifOrientation(content);
    } else if (marker == adobeSegment && file_.holds(body, "Adobe"sv)) {
      hasAdobe_ = true;
    }
    position_ = body + content.size();
  }

  void readFrame(std::uint8_t marker, std::size_t body) {
    if (hasFrame_) file_.refuse("is damaged: it has two JPEG frames");
    if (!isReadableFrame(marker)) {
      file_.refuse("is a lossless or hierarchical JPEG, which Softscope does not read");
    }
    const int bits = file_.byte(body);
    if (bits != 8) {
      file_.refuse("is a JPEG of " + std::to_string(bits) +
                   "-bit samples, which Softscope does not read; save it with 8 bits");
    }
    hasFrame_ = true;
    header_.height = file_.big16(body + 1);
    header_.width = file_.big16(body + 3);
    components_ = file_.byte(body + 5);
  }

  void finish() const {
    if (!hasFrame_ || scans_ == 0) file_.refuse("is damaged: the JPEG holds no picture data");
    // The decoder goes through the whole picture for each scan, which may take ten bytes of the
    // file. Encoders write ten scans, or a few dozen.
    constexpr std::uint64_t mostScans = 500;
    constexpr std::uint64_t mostScannedPixels = 4'000'000'000;
    // Larger pictures are refused as such.
    constexpr std::uint64_t mostPixels = 100'000'000;
    const std::uint64_t pixels = std::min(header_.width * header_.height, mostPixels);
    if (scans_ > mostScans || scans_ * pixels > mostScannedPixels) {
      file_.refuse("is a JPEG of " + std::to_string(scans_) +
                   " scans, more than any encoder writes; save it again");
    }
    // The decoder takes four inks for inverted, as Adobe writes them. Others do not invert, and a
    // negative would pass for the picture.
    if (components_ == 4 && !hasAdobe_) {
      file_.refuse("is a CMYK JPEG that does not say how its inks are stored; save it as RGB");
    }
  }

  const EncodedPicture& file_;
  std::size_t position_ = 0;
  PictureHeader header_;
  int components_ = 0;
  bool hasFrame_ = false;
  std::uint64_t scans_ = 0;
  bool hasExif_ = false;
  bool hasAdobe_ = false;
};

}  // namespace

PictureHeader examineJpeg(const EncodedPicture& file) {
  return JpegWalk(file).header();
}

}  // namespace softscope
