#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"
#include "core/image/TiffDirectory.h"

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
constexpr std::uint8_t exifSegment = 0xe1;     // Also used by XMP.
constexpr std::uint8_t profileSegment = 0xe2;  // Also used by the index of several pictures.
constexpr std::uint8_t adobeSegment = 0xee;

/// Returns true for markers without content, which have no length after them.
bool standsAlone(std::uint8_t marker) {
  return marker == 0x01 || (marker >= 0xd0 && marker <= startOfImage);
}

bool isFrame(std::uint8_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/// Accepts baseline, extended and progressive frames with either entropy coder; not lossless or
/// hierarchical ones.
bool isReadableFrame(std::uint8_t marker) {
  return marker <= 0xc2 || marker == 0xc9 || marker == 0xca;
}

/// Walks from marker to marker up to the end of the image, and ignores what follows.
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
    header_.orientation = orientation_.chosen();
    return header_;
  }

 private:
  /// Returns the next marker after a byte 0xff. In entropy-coded data a literal 0xff is followed by
  /// 0, and fill bytes of 0xff may precede any marker.
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
    } else if (marker == exifSegment) {
      readMetadata(body, content);
    } else if (marker == profileSegment && !hasProfile_ && file_.holds(body, profileMark)) {
      readProfile(content);
    } else if (marker == profileSegment && file_.holds(body, "MPF\0"sv)) {
      readIndex(content);
    } else if (marker == adobeSegment && file_.holds(body, "Adobe"sv)) {
      hasAdobe_ = true;
    }
    position_ = body + content.size();
  }

  void readMetadata(std::size_t body, std::span<const std::uint8_t> content) {
    constexpr std::string_view xmpMark = "http://ns.adobe.com/xap/1.0/\0"sv;
    if (!hasExif_ && file_.holds(body, "Exif\0\0"sv)) {
      hasExif_ = true;
      orientation_.exif = exifOrientation(content);
    } else if (!orientation_.xmp && file_.holds(body, xmpMark)) {
      orientation_.xmp =
          xmpOrientation({reinterpret_cast<const char*>(content.data()), content.size()});
    }
  }

  /// Reads an index in CIPA's multi-picture format, which lists the pictures that follow this one.
  void readIndex(std::span<const std::uint8_t> content) {
    constexpr std::uint16_t numberOfImages = 0xb001;
    constexpr std::size_t mark = 4;
    header_.pages =
        std::max<std::uint64_t>(1, TiffDirectory(content.subspan(mark)).value(numberOfImages, 1));
    header_.pageKind = PageKind::View;
  }

  /// Reads the start of a profile, which holds its name, from the profile's first segment.
  void readProfile(std::span<const std::uint8_t> content) {
    constexpr std::size_t numbers = 2;
    hasProfile_ = true;
    if (content.size() <= profileMark.size() + numbers) return;
    header_.profile = unusedProfile(content.subspan(profileMark.size() + numbers));
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
    header_.isProgressive = marker == 0xc2 || marker == 0xca;
    if (components_ != 1 && components_ != 3 && components_ != 4) {
      file_.refuse("is a JPEG of " + std::to_string(components_) +
                   " channels, which Softscope does not read; save it as RGB");
    }
  }

  void finish() const {
    if (!hasFrame_ || scans_ == 0) file_.refuse("is damaged: the JPEG holds no picture data");
    checkScans();
    // The decoder assumes that four inks are inverted, as Adobe writes them. Other writers do not
    // invert, and a negative would pass for the picture.
    if (components_ == 4 && !hasAdobe_) {
      file_.refuse("is a CMYK JPEG that does not say how its inks are stored; save it as RGB");
    }
  }

  /// Refuses too many scans. A scan may take only ten bytes of the file, but the decoder goes
  /// through the whole picture for each, at a nanosecond per pixel. Encoders write ten scans, or a
  /// few dozen.
  void checkScans() const {
    constexpr std::uint64_t usualScans = 20;
    constexpr std::uint64_t mostScans = 500;
    constexpr std::uint64_t mostScannedPixels = 400'000'000;
    // Larger pictures are refused for their size.
    constexpr std::uint64_t mostPixels = 100'000'000;
    const std::uint64_t pixels = std::min(header_.width * header_.height, mostPixels);
    if (scans_ <= usualScans) return;
    if (scans_ > mostScans || scans_ * pixels > mostScannedPixels) {
      file_.refuse("is a JPEG of " + std::to_string(scans_) +
                   " scans, more than any encoder writes; save it again");
    }
  }

  static constexpr std::string_view profileMark = "ICC_PROFILE\0"sv;

  const EncodedPicture& file_;
  std::size_t position_ = 0;
  PictureHeader header_;
  int components_ = 0;
  bool hasFrame_ = false;
  std::uint64_t scans_ = 0;
  bool hasExif_ = false;
  bool hasProfile_ = false;
  StatedOrientation orientation_;
  bool hasAdobe_ = false;
};

}  // namespace

PictureHeader examineJpeg(const EncodedPicture& file) {
  return JpegWalk(file).header();
}

}  // namespace softscope
