#include "core/image/BmpHeader.h"
#include "core/image/PictureFormat.h"

#include <algorithm>

namespace softscope {
namespace {

/// Follows a run-length coded bitmap to its end marker.
void checkRunsEnd(const EncodedPicture& file, const BmpHeader& header) {
  std::size_t position = header.pixels;
  while (true) {
    const std::uint8_t count = file.byte(position);
    const std::uint8_t code = file.byte(position + 1);
    position += 2;
    if (count != 0 || code == 0) continue;  // A run, or the end of a line.
    if (code == 1) return;                  // The end of the bitmap.
    if (code == 2) {
      position += 2;  // A step to the right and up.
    } else {
      const bool four = header.compression == BmpHeader::RunLength4;
      const std::size_t bytes = four ? (code + 1u) / 2 : code;
      position += bytes + (bytes & 1);  // Literal pixels, padded to even lengths.
    }
  }
}

void checkRows(const EncodedPicture& file, const BmpHeader& header) {
  const std::uint64_t rowBytes = (header.width * header.bits + 31) / 32 * 4;
  const std::uint64_t present = file.size() - std::min<std::uint64_t>(header.pixels, file.size());
  if (header.height != 0 && rowBytes > present / header.height) file.refuseAsCutShort();
}

}  // namespace

PictureHeader examineBmp(const EncodedPicture& file) {
  const BmpHeader bmp = readBmpHeader(file);
  const bool runs =
      bmp.compression == BmpHeader::RunLength8 || bmp.compression == BmpHeader::RunLength4;
  if (runs) {
    checkRunsEnd(file, bmp);
  } else {
    checkRows(file, bmp);
  }
  PictureHeader header;
  header.width = bmp.width;
  header.height = bmp.height;
  header.hasAlpha = bmp.masks[3] != 0;
  return header;
}

}  // namespace softscope
