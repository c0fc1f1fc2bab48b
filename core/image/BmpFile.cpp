#include "core/image/PictureFormat.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace softscope {
namespace {

constexpr std::size_t bmpFileHeader = 14;

enum Compression : std::uint32_t {
  noCompression = 0,
  runLength8 = 1,
  runLength4 = 2,
  bitFields = 3
};

struct BmpHeader {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint32_t bits = 0;
  std::uint32_t compression = noCompression;
  std::uint64_t pixels = 0;         ///< where they begin
  std::uint64_t paletteColors = 0;  ///< as claimed; 0 for as many as the bits can name
  std::uint64_t colorBytes = 4;
};

BmpHeader readHeader(const EncodedPicture& file) {
  constexpr std::uint32_t oldHeader = 12;
  BmpHeader header;
  header.pixels = file.little32(10);
  const std::uint32_t size = file.little32(bmpFileHeader);
  if (size == oldHeader) {
    header.width = file.little16(18);
    header.height = file.little16(20);
    header.bits = file.little16(24);
    header.colorBytes = 3;
    return header;
  }
  if (size < 40) file.refuse("is damaged: the BMP header is too small");
  // Signed: a negative height says that the first row is the top one.
  const auto width = static_cast<std::int32_t>(file.little32(18));
  const auto height = static_cast<std::int32_t>(file.little32(22));
  if (width < 0) file.refuse("is damaged: the BMP has a negative width");
  header.width = static_cast<std::uint64_t>(width);
  header.height = static_cast<std::uint64_t>(std::llabs(height));
  header.bits = file.little16(28);
  header.compression = file.little32(30);
  header.paletteColors = file.little32(46);
  return header;
}

void checkColors(const EncodedPicture& file, const BmpHeader& header) {
  const std::uint32_t bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
    file.refuse("is damaged or a BMP of " + std::to_string(bits) +
                " bits a pixel, which Softscope does not read");
  }
  if (bits > 8) return;
  if (header.paletteColors > 256) file.refuse("is damaged: the BMP palette is too large");
  const std::uint64_t colors = header.paletteColors ? header.paletteColors : 1u << bits;
  file.slice(bmpFileHeader + file.little32(bmpFileHeader), colors * header.colorBytes);
}

/// Follows a run-length coded bitmap to its end marker.
void checkRunsEnd(const EncodedPicture& file, std::size_t position, std::uint32_t compression) {
  while (true) {
    const std::uint8_t count = file.byte(position);
    const std::uint8_t code = file.byte(position + 1);
    position += 2;
    if (count != 0 || code == 0) continue;  // A run, or the end of a line.
    if (code == 1) return;                  // The end of the bitmap.
    if (code == 2) {
      position += 2;  // A step to the right and up.
    } else {
      const std::size_t bytes = compression == runLength4 ? (code + 1u) / 2 : code;
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
  const BmpHeader bmp = readHeader(file);
  checkColors(file, bmp);
  switch (bmp.compression) {
    case noCompression:
    case bitFields:
      checkRows(file, bmp);
      break;
    case runLength8:
    case runLength4:
      checkRunsEnd(file, bmp.pixels, bmp.compression);
      break;
    default:
      file.refuse("is a BMP with a compression that Softscope does not read");
  }
  PictureHeader header;
  header.width = bmp.width;
  header.height = bmp.height;
  return header;
}

}  // namespace softscope
