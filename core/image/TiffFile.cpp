#include "core/image/PictureFormat.h"
#include "core/image/TiffDirectory.h"

#include <string>

namespace softscope {
namespace {

enum Tag : std::uint16_t {
  kWidth = 256,
  kHeight = 257,
  kBitsPerSample = 258,
  kCompression = 259,
  kPhotometric = 262,
  kStripOffsets = 273,
  kOrientation = 274,
  kSamplesPerPixel = 277,
  kRowsPerStrip = 278,
  kStripByteCounts = 279,
  kPlanar = 284,
  kTileWidth = 322,
  kTileHeight = 323,
  kTileOffsets = 324,
  kTileByteCounts = 325,
  kExtraSamples = 338,
  kSampleFormat = 339,
};

constexpr std::uint64_t kAssociatedAlpha = 1;
constexpr std::uint64_t kUnassociatedAlpha = 2;

std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : (a + b - 1) / b;
}

/// The strips or tiles that the pixels are cut into.
struct Pieces {
  const TiffDirectory::Entry* offsets = nullptr;
  const TiffDirectory::Entry* byteCounts = nullptr;
  std::uint64_t expected = 0;
  bool tiled = false;
};

Pieces findPieces(const TiffDirectory& directory, const PictureHeader& header) {
  Pieces pieces;
  pieces.tiled = directory.find(kTileOffsets) != nullptr;
  pieces.offsets = directory.find(pieces.tiled ? kTileOffsets : kStripOffsets);
  pieces.byteCounts = directory.find(pieces.tiled ? kTileByteCounts : kStripByteCounts);
  if (pieces.tiled) {
    pieces.expected = divideUp(header.width, directory.value(kTileWidth, 0)) *
                      divideUp(header.height, directory.value(kTileHeight, 0));
  } else {
    const auto rows = directory.value(kRowsPerStrip, header.height);
    pieces.expected = rows >= header.height ? 1 : divideUp(header.height, rows);
  }
  const bool planes = directory.value(kPlanar, 1) == 2;
  if (planes) pieces.expected *= directory.value(kSamplesPerPixel, 1);
  return pieces;
}

/// Every piece must lie inside the file. Returns the bytes they hold together, counting a piece of
/// unknown length as nothing.
std::uint64_t checkPieces(const EncodedPicture& file, const TiffDirectory& directory,
                          const Pieces& pieces) {
  if (!pieces.offsets || pieces.expected == 0) {
    file.refuse("is damaged: the TIFF does not say where its pixels are");
  }
  if (pieces.offsets->count < pieces.expected) file.refuseAsCutShort();
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < pieces.expected; ++i) {
    const auto offset = directory.value(*pieces.offsets, i).value_or(file.size() + 1);
    const auto count = pieces.byteCounts ? directory.value(*pieces.byteCounts, i).value_or(0) : 0;
    if (offset > file.size() || count > file.size() - offset) file.refuseAsCutShort();
    total += count;
  }
  return total;
}

/// Rows stored as they are fill their strips; where they do not, the decoder leaves a gap.
void checkLength(const EncodedPicture& file, const TiffDirectory& directory, const Pieces& pieces,
                 const PictureHeader& header, std::uint64_t total) {
  constexpr std::uint64_t kUncompressed = 1;
  constexpr std::uint64_t kSubsampled = 6;
  if (pieces.tiled || !pieces.byteCounts) return;
  if (directory.value(kCompression, kUncompressed) != kUncompressed) return;
  if (directory.value(kPhotometric, 0) == kSubsampled) return;
  const bool planes = directory.value(kPlanar, 1) == 2;
  const std::uint64_t samples = directory.value(kSamplesPerPixel, 1);
  const std::uint64_t bits = directory.value(kBitsPerSample, 1);
  const std::uint64_t rowBytes = planes ? samples * divideUp(header.width * bits, 8)
                                        : divideUp(header.width * samples * bits, 8);
  if (rowBytes > total / header.height) file.refuseAsCutShort();
}

void checkSamples(const EncodedPicture& file, const TiffDirectory& directory) {
  constexpr std::uint64_t kPalette = 3;
  constexpr std::uint64_t kUnsignedIntegers = 1;
  constexpr std::uint64_t kUndefined = 4;
  if (!directory.find(kPhotometric)) {
    file.refuse("is damaged: the TIFF does not say what its samples mean");
  }
  const auto samples = directory.value(kSamplesPerPixel, 1);
  if (samples < 1 || samples > 4) {
    file.refuse("is a TIFF of " + std::to_string(samples) +
                " channels, which Softscope does not read; save it as RGB");
  }
  const auto bits = directory.value(kBitsPerSample, 1);
  const auto format = directory.value(kSampleFormat, kUnsignedIntegers);
  const bool four = bits == 4 && directory.value(kPhotometric, 0) == kPalette;
  const bool integers = format == kUnsignedIntegers || format == kUndefined;
  if (integers && (bits == 1 || bits == 8 || bits == 16 || four)) return;
  file.refuse("is a TIFF of " + std::to_string(bits) + "-bit " +
              (integers ? "" : "signed or floating-point ") +
              "samples, which Softscope does not read; save it with 8 or 16 bits");
}

/// Sets a 16-bit tag where there is one of that kind. True if something changed.
bool setTag(const TiffDirectory& directory, Tag tag, std::uint16_t value,
            std::vector<std::uint8_t>& bytes) {
  constexpr std::uint16_t kShort = 3;
  const TiffDirectory::Entry* entry = directory.find(tag);
  if (!entry || entry->type != kShort || entry->count == 0) return false;
  directory.write16(bytes, entry->valueOffset, value);
  return true;
}

}  // namespace

PictureHeader examineTiff(const EncodedPicture& file) {
  const TiffDirectory directory(file.bytes());
  if (directory.state() != TiffDirectory::State::Whole) file.refuseAsCutShort();
  PictureHeader header;
  header.width = directory.value(kWidth, 0);
  header.height = directory.value(kHeight, 0);
  if (header.width == 0 || header.height == 0) return header;
  const auto orientation = directory.value(kOrientation, 1);
  if (orientation >= 1 && orientation <= 8) header.orientation = static_cast<int>(orientation);
  const auto alpha = directory.value(kExtraSamples, 0);
  header.premultiplied = alpha == kAssociatedAlpha;
  checkSamples(file, directory);
  const Pieces pieces = findPieces(directory, header);
  const std::uint64_t total = checkPieces(file, directory, pieces);
  checkLength(file, directory, pieces, header, total);

  // The decoder would turn the picture and multiply its colours by alpha; neither is wanted here.
  if (orientation != 1 || alpha == kUnassociatedAlpha) {
    header.replacement.assign(file.bytes().begin(), file.bytes().end());
    setTag(directory, kOrientation, 1, header.replacement);
    if (alpha == kUnassociatedAlpha) setTag(directory, kExtraSamples, 0, header.replacement);
  }
  return header;
}

}  // namespace softscope
