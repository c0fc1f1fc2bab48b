#include "core/image/BmpHeader.h"
#include "core/image/PictureFormat.h"

#include <algorithm>
#include <bit>
#include <string>

namespace softscope {
namespace {

constexpr std::size_t bmpFileHeader = 14;

enum HeaderSize : std::uint32_t {
  coreHeader = 12,  ///< of OS/2 version 1
  shortOs2Header = 16,
  infoHeader = 40,
  masksHeader = 52,
  alphaMaskHeader = 56,
  os2Header = 64,
  version4Header = 108,
  version5Header = 124,
};

bool isKnown(std::uint32_t size) {
  constexpr std::array known{coreHeader,      shortOs2Header, infoHeader,     masksHeader,
                             alphaMaskHeader, os2Header,      version4Header, version5Header};
  return std::ranges::find(known, size) != known.end();
}

bool isOfOs2(std::uint32_t size) {
  return size == shortOs2Header || size == os2Header;
}

/// Reads width and height, which are signed: a negative height means that the first row is the top
/// one.
void readSides(const EncodedPicture& file, BmpHeader& header) {
  const auto width = static_cast<std::int32_t>(file.little32(18));
  const auto height = static_cast<std::int32_t>(file.little32(22));
  if (width < 0) file.refuse("is damaged: the BMP has a negative width");
  header.width = static_cast<std::uint64_t>(width);
  header.height = static_cast<std::uint64_t>(std::llabs(height));
  header.topDown = height < 0;
}

void checkMasks(const EncodedPicture& file, const BmpHeader& header) {
  const std::uint64_t most = (std::uint64_t{1} << header.bits) - 1;
  std::uint32_t taken = 0;
  for (const std::uint32_t mask : header.masks) {
    const std::uint32_t run = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    if (mask > most || (taken & mask) != 0 || (run & (run + 1)) != 0) {
      file.refuse("is damaged: the BMP's bit masks overlap or have gaps");
    }
    taken |= mask;
  }
  if ((header.masks[0] | header.masks[1] | header.masks[2]) == 0) {
    file.refuse("is damaged: the BMP's bit masks are empty");
  }
}

/// Returns the size in bytes of the masks between header and palette.
std::size_t readMasks(const EncodedPicture& file, std::uint32_t size, BmpHeader& header) {
  if (header.bits != 16 && header.bits != 32) return 0;
  const bool given =
      header.compression == BmpHeader::BitFields || header.compression == BmpHeader::AlphaBitFields;
  if (!given) {
    if (header.bits == 16) header.masks = {0x7c00, 0x03e0, 0x001f, 0};
    if (header.bits == 32) header.masks = {0xff0000, 0x00ff00, 0x0000ff, 0};
    return 0;
  }
  // Later versions of the header contain the masks; after the first version, they follow it.
  const bool hasAlpha = size >= alphaMaskHeader || header.compression == BmpHeader::AlphaBitFields;
  const std::size_t count = hasAlpha ? 4 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    header.masks[i] = file.little32(bmpFileHeader + infoHeader + 4 * i);
  }
  checkMasks(file, header);
  return size == infoHeader ? 4 * count : 0;
}

void checkBits(const EncodedPicture& file, const BmpHeader& header, std::uint32_t size) {
  const std::uint32_t bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
    file.refuse("is damaged or a BMP of " + std::to_string(bits) +
                " bits a pixel, which Softscope does not read");
  }
  bool fits = false;
  switch (header.compression) {
    case BmpHeader::NoCompression:
      return;
    case BmpHeader::RunLength8:
      fits = bits == 8;
      break;
    case BmpHeader::RunLength4:
      fits = bits == 4;
      break;
    case BmpHeader::BitFields:
    case BmpHeader::AlphaBitFields:
      fits = (bits == 16 || bits == 32) && !isOfOs2(size);
      break;
    default:
      break;
  }
  if (!fits) {
    file.refuse("is a BMP with a compression that Softscope does not read; save it as PNG");
  }
}

void readPalette(const EncodedPicture& file, std::uint64_t begin, std::uint32_t claimed,
                 BmpHeader& header) {
  if (header.pixels < begin) file.refuse("is damaged: the BMP's pixels lie in its header");
  if (header.bits > 8) return;
  if (claimed > 256) file.refuse("is damaged: the BMP palette is too large");
  const std::uint64_t wanted = claimed ? claimed : 1u << header.bits;
  header.palette = begin;
  // The palette may have fewer colours than the bits can index, and the pixels follow it.
  header.paletteColors = std::min(wanted, (header.pixels - begin) / header.colorBytes);
  if (header.paletteColors == 0) file.refuse("is damaged: the BMP has no palette");
  file.slice(begin, header.paletteColors * header.colorBytes);
}

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

BmpHeader readBmpHeader(const EncodedPicture& file) {
  BmpHeader header;
  header.pixels = file.little32(10);
  const std::uint32_t size = file.little32(bmpFileHeader);
  if (!isKnown(size)) {
    file.refuse("is damaged: there is no BMP header of " + std::to_string(size) + " bytes");
  }
  std::uint32_t claimedColors = 0;
  if (size == coreHeader) {
    header.width = file.little16(18);
    header.height = file.little16(20);
    header.bits = file.little16(24);
    header.colorBytes = 3;
  } else {
    readSides(file, header);
    header.bits = file.little16(28);
    if (size != shortOs2Header) {
      header.compression = file.little32(30);
      claimedColors = file.little32(46);
    }
  }
  checkBits(file, header, size);
  const std::size_t maskBytes = readMasks(file, size, header);
  readPalette(file, std::uint64_t{bmpFileHeader} + size + maskBytes, claimedColors, header);
  return header;
}

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
