#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace softscope {
namespace {

using namespace std::string_view_literals;

/// Reads the size from the header of one of the three kinds of WebP.
void readLossySize(const EncodedPicture& file, std::size_t body, PictureHeader& header) {
  if (!file.holds(body + 3, "\x9d\x01\x2a"sv)) {
    file.refuse("is damaged: the WebP picture does not begin with a key frame");
  }
  header.width = file.little16(body + 6) & 0x3fff;
  header.height = file.little16(body + 8) & 0x3fff;
}

void readLosslessSize(const EncodedPicture& file, std::size_t body, PictureHeader& header) {
  if (file.byte(body) != 0x2f) file.refuse("is damaged: the WebP picture has no signature");
  const std::uint32_t bits = file.little32(body + 1);
  header.width = (bits & 0x3fff) + 1;
  header.height = (bits >> 14 & 0x3fff) + 1;
  header.hasAlpha = header.hasAlpha || (bits >> 28 & 1) != 0;
}

void refuseAnimation(const EncodedPicture& file, std::size_t body) {
  constexpr std::uint8_t animation = 0x02;
  if (file.byte(body) & animation) {
    file.refuse("is an animated WebP, which Softscope does not read; save one frame of it");
  }
}

/// Throws unless the canvas has the picture's size, because decoders allocate the canvas regardless
/// of the picture on it.
void requireCanvasOf(const PictureHeader& header, const EncodedPicture& file, std::size_t body) {
  const auto little24 = [&](std::size_t at) {
    return std::uint64_t{file.little16(at)} | std::uint64_t{file.byte(at + 2)} << 16;
  };
  if (little24(body + 4) + 1 != header.width || little24(body + 7) + 1 != header.height) {
    file.refuse("is damaged: the WebP's canvas is not as large as the picture on it");
  }
}

}  // namespace

PictureHeader examineWebp(const EncodedPicture& file) {
  PictureHeader header;
  const std::size_t end = std::size_t{8} + file.little32(4);
  if (end > file.size()) file.refuseAsCutShort();
  constexpr std::uint8_t alphaFlag = 0x10;
  StatedOrientation orientation;
  bool hasPicture = false;
  std::optional<std::size_t> canvas;
  for (std::size_t offset = 12; offset + 8 <= end;) {
    const std::size_t body = offset + 8;
    const auto content = file.slice(body, file.little32(offset + 4));
    if (file.holds(offset, "VP8X"sv)) {
      refuseAnimation(file, body);
      if (!canvas) canvas = body;
      header.hasAlpha = (file.byte(body) & alphaFlag) != 0;
    } else if (file.holds(offset, "VP8 "sv) && !hasPicture) {
      readLossySize(file, body, header);
      hasPicture = true;
    } else if (file.holds(offset, "VP8L"sv) && !hasPicture) {
      readLosslessSize(file, body, header);
      hasPicture = true;
    } else if (file.holds(offset, "EXIF"sv)) {
      if (!orientation.exif) orientation.exif = exifOrientation(content);
    } else if (file.holds(offset, "XMP "sv) && !orientation.xmp) {
      orientation.xmp =
          xmpOrientation({reinterpret_cast<const char*>(content.data()), content.size()});
    } else if (file.holds(offset, "ICCP"sv)) {
      header.profile = unusedProfile(content);
    }
    offset = body + content.size() + (content.size() & 1);  // Chunks are padded to even lengths.
  }
  if (!hasPicture) file.refuse("is damaged: the WebP holds no picture data");
  if (canvas) requireCanvasOf(header, file, *canvas);
  header.orientation = orientation.chosen();
  return header;
}

}  // namespace softscope
