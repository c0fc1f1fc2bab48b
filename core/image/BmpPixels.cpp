#include "core/image/BmpHeader.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace softscope {
namespace {

using BmpColor = std::array<std::uint8_t, 3>;

/// The rows of the resulting picture, in the order of the file.
class BmpRows {
 public:
  BmpRows(const BmpHeader& header, std::span<std::uint8_t> rgb) : header_(header), rgb_(rgb) {}

  std::uint8_t* row(std::uint64_t stored) const {
    const std::uint64_t y = header_.topDown ? stored : header_.height - 1 - stored;
    return rgb_.data() + y * header_.width * 3;
  }

 private:
  const BmpHeader& header_;
  std::span<std::uint8_t> rgb_;
};

/// Returns all 256 colours; those missing from the file are black.
std::vector<BmpColor> paletteOf(const EncodedPicture& file, const BmpHeader& header) {
  std::vector<BmpColor> palette(256);
  for (std::size_t i = 0; i < header.paletteColors; ++i) {
    const auto bgr = file.slice(header.palette + i * header.colorBytes, 3);
    palette[i] = {bgr[2], bgr[1], bgr[0]};
  }
  return palette;
}

void store(const BmpColor& color, std::uint8_t* to) {
  std::ranges::copy(color, to);
}

/// Extracts one channel of a pixel by its mask.
class MaskedChannel {
 public:
  explicit MaskedChannel(std::uint32_t mask) : mask_(mask) {
    if (mask == 0) return;
    shift_ = std::countr_zero(mask);
    most_ = mask >> shift_;
    surplus_ = std::max(0, std::popcount(mask) - 8);
  }

  std::uint8_t level(std::uint32_t pixel) const {
    const std::uint32_t value = (pixel & mask_) >> shift_;
    // If the channel has more bits than a level, keep the upper ones.
    return static_cast<std::uint8_t>(most_ < 255 ? value * 255 / most_ : value >> surplus_);
  }

 private:
  std::uint32_t mask_;
  int shift_ = 0;
  std::uint32_t most_ = 1;
  int surplus_ = 0;
};

void decodeMasked(const EncodedPicture& file, const BmpHeader& header, std::size_t rowBytes,
                  const BmpRows& rows) {
  const MaskedChannel red(header.masks[0]);
  const MaskedChannel green(header.masks[1]);
  const MaskedChannel blue(header.masks[2]);
  const std::size_t pixelBytes = header.bits / 8;
  for (std::uint64_t y = 0; y < header.height; ++y) {
    const std::uint8_t* from = file.slice(header.pixels + y * rowBytes, rowBytes).data();
    std::uint8_t* to = rows.row(y);
    for (std::uint64_t x = 0; x < header.width; ++x, from += pixelBytes, to += 3) {
      std::uint32_t pixel = from[0] | static_cast<std::uint32_t>(from[1]) << 8;
      if (pixelBytes == 4) {
        pixel |= static_cast<std::uint32_t>(from[2]) << 16;
        pixel |= static_cast<std::uint32_t>(from[3]) << 24;
      }
      store({red.level(pixel), green.level(pixel), blue.level(pixel)}, to);
    }
  }
}

void decodeTrueColor(const EncodedPicture& file, const BmpHeader& header, std::size_t rowBytes,
                     const BmpRows& rows) {
  for (std::uint64_t y = 0; y < header.height; ++y) {
    const std::uint8_t* from = file.slice(header.pixels + y * rowBytes, rowBytes).data();
    std::uint8_t* to = rows.row(y);
    for (std::uint64_t x = 0; x < header.width; ++x, from += 3, to += 3) {
      store({from[2], from[1], from[0]}, to);
    }
  }
}

void decodeIndexed(const EncodedPicture& file, const BmpHeader& header, std::size_t rowBytes,
                   const BmpRows& rows) {
  const std::vector<BmpColor> palette = paletteOf(file, header);
  const std::uint32_t mask = (1u << header.bits) - 1;
  const std::uint32_t perByte = 8 / header.bits;
  for (std::uint64_t y = 0; y < header.height; ++y) {
    const std::uint8_t* from = file.slice(header.pixels + y * rowBytes, rowBytes).data();
    std::uint8_t* to = rows.row(y);
    for (std::uint64_t x = 0; x < header.width; ++x, to += 3) {
      const auto place = static_cast<std::uint32_t>(perByte - 1 - x % perByte);
      store(palette[from[x / perByte] >> place * header.bits & mask], to);
    }
  }
}

/// Decodes run-length coded pixels. Pixels that the code skips get the palette's first colour.
class BmpRuns {
 public:
  BmpRuns(const EncodedPicture& file, const BmpHeader& header, const BmpRows& rows)
      : file_(file),
        header_(header),
        rows_(rows),
        palette_(paletteOf(file, header)),
        four_(header.compression == BmpHeader::RunLength4) {}

  void decode() {
    for (std::uint64_t y = 0; y < header_.height; ++y) {
      std::uint8_t* to = rows_.row(y);
      for (std::uint64_t x = 0; x < header_.width; ++x, to += 3) store(palette_[0], to);
    }
    std::size_t position = header_.pixels;
    while (true) {
      const std::uint8_t count = file_.byte(position);
      const std::uint8_t code = file_.byte(position + 1);
      position += 2;
      if (count != 0) {
        addRun(count, code);
      } else if (code == 0) {
        x_ = 0;
        ++y_;
      } else if (code == 1) {
        return;
      } else if (code == 2) {
        x_ += file_.byte(position);
        y_ += file_.byte(position + 1);
        position += 2;
      } else {
        position += addLiterals(position, code);
      }
    }
  }

 private:
  /// Returns one of the two 4-bit indices in a byte; the first is in the upper half.
  static std::uint8_t nibble(std::uint8_t byte, unsigned index) {
    return index % 2 == 0 ? byte >> 4 : byte & 15;
  }

  /// Adds as much of a run as the row has room for, so that an oversized run takes no time.
  void addRun(std::uint8_t count, std::uint8_t code) {
    const std::uint64_t room = y_ < header_.height && x_ < header_.width ? header_.width - x_ : 0;
    const std::uint64_t end = x_ + count;
    const auto visible = static_cast<unsigned>(std::min<std::uint64_t>(count, room));
    for (unsigned i = 0; i < visible; ++i) add(four_ ? nibble(code, i) : code);
    x_ = end;
  }

  /// Adds literal pixels and returns the bytes they take, padded to an even number.
  std::size_t addLiterals(std::size_t position, std::uint8_t count) {
    const std::size_t bytes = four_ ? (count + 1u) / 2 : count;
    const auto literals = file_.slice(position, bytes);
    for (unsigned i = 0; i < count; ++i) {
      add(four_ ? nibble(literals[i / 2], i) : literals[i]);
    }
    return bytes + (bytes & 1);
  }

  void add(std::uint8_t index) {
    if (x_ < header_.width && y_ < header_.height) store(palette_[index], rows_.row(y_) + 3 * x_);
    ++x_;
  }

  const EncodedPicture& file_;
  const BmpHeader& header_;
  const BmpRows& rows_;
  std::vector<BmpColor> palette_;
  bool four_;
  std::uint64_t x_ = 0;
  std::uint64_t y_ = 0;
};

}  // namespace

void decodeBmp(const EncodedPicture& file, std::span<std::uint8_t> rgb) {
  const BmpHeader header = readBmpHeader(file);
  const BmpRows rows(header, rgb);
  const std::size_t rowBytes = (header.width * header.bits + 31) / 32 * 4;
  if (header.compression == BmpHeader::RunLength8 || header.compression == BmpHeader::RunLength4) {
    BmpRuns(file, header, rows).decode();
  } else if (header.bits <= 8) {
    decodeIndexed(file, header, rowBytes, rows);
  } else if (header.bits == 24) {
    decodeTrueColor(file, header, rowBytes, rows);
  } else {
    decodeMasked(file, header, rowBytes, rows);
  }
}

}  // namespace softscope
