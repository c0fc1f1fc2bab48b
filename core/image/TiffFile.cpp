#include "core/image/PictureFormat.h"
#include "core/image/TiffDirectory.h"

#include <algorithm>
#include <string>
#include <utility>

namespace softscope {
namespace {

enum Tag : std::uint16_t {
  widthTag = 256,
  heightTag = 257,
  bitsPerSampleTag = 258,
  compressionTag = 259,
  photometricTag = 262,
  stripOffsetsTag = 273,
  orientationTag = 274,
  samplesPerPixelTag = 277,
  rowsPerStripTag = 278,
  stripByteCountsTag = 279,
  planarTag = 284,
  tileWidthTag = 322,
  tileHeightTag = 323,
  tileOffsetsTag = 324,
  tileByteCountsTag = 325,
  extraSamplesTag = 338,
  sampleFormatTag = 339,
};

constexpr std::uint64_t associatedAlpha = 1;
constexpr std::uint64_t unassociatedAlpha = 2;

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
  // As the decoder tells them.
  pieces.tiled = directory.find(tileWidthTag) || directory.find(tileHeightTag) ||
                 directory.find(tileOffsetsTag);
  pieces.offsets = directory.find(pieces.tiled ? tileOffsetsTag : stripOffsetsTag);
  pieces.byteCounts = directory.find(pieces.tiled ? tileByteCountsTag : stripByteCountsTag);
  if (pieces.tiled) {
    pieces.expected = divideUp(header.width, directory.value(tileWidthTag, 0)) *
                      divideUp(header.height, directory.value(tileHeightTag, 0));
  } else {
    const TiffDirectory::Entry* entry = directory.find(rowsPerStripTag);
    // Where there is no number, the decoder may find one.
    const auto rows = entry ? directory.value(*entry).value_or(0) : header.height;
    pieces.expected = rows >= header.height ? 1 : divideUp(header.height, rows);
  }
  const bool planes = directory.value(planarTag, 1) == 2;
  if (planes) pieces.expected *= directory.value(samplesPerPixelTag, 1);
  return pieces;
}

/// The decoder takes memory for a whole tile, however few of its pixels are the picture's.
void checkTiles(const EncodedPicture& file, const TiffDirectory& directory,
                const PictureHeader& header) {
  static constexpr std::uint64_t usualSide = 1024;
  static constexpr std::uint64_t multiple = 16;
  const auto fits = [](std::uint64_t tile, std::uint64_t side) {
    return tile <= std::max(usualSide, divideUp(side, multiple) * multiple);
  };
  if (!fits(directory.value(tileWidthTag, 0), header.width) ||
      !fits(directory.value(tileHeightTag, 0), header.height)) {
    file.refuse("is a TIFF whose tiles are larger than the picture; save it again");
  }
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
  constexpr std::uint64_t uncompressed = 1;
  constexpr std::uint64_t subsampled = 6;
  if (pieces.tiled || !pieces.byteCounts) return;
  if (directory.value(compressionTag, uncompressed) != uncompressed) return;
  if (directory.value(photometricTag, 0) == subsampled) return;
  const bool planes = directory.value(planarTag, 1) == 2;
  const std::uint64_t samples = directory.value(samplesPerPixelTag, 1);
  const std::uint64_t bits = directory.value(bitsPerSampleTag, 1);
  const std::uint64_t rowBytes = planes ? samples * divideUp(header.width * bits, 8)
                                        : divideUp(header.width * samples * bits, 8);
  if (rowBytes > total / header.height) file.refuseAsCutShort();
}

void checkSamples(const EncodedPicture& file, const TiffDirectory& directory) {
  constexpr std::uint64_t palette = 3;
  constexpr std::uint64_t unsignedIntegers = 1;
  constexpr std::uint64_t undefined = 4;
  if (!directory.find(photometricTag)) {
    file.refuse("is damaged: the TIFF does not say what its samples mean");
  }
  const auto samples = directory.value(samplesPerPixelTag, 1);
  if (samples < 1 || samples > 4) {
    file.refuse("is a TIFF of " + std::to_string(samples) +
                " channels, which Softscope does not read; save it as RGB");
  }
  const auto bits = directory.value(bitsPerSampleTag, 1);
  const auto format = directory.value(sampleFormatTag, unsignedIntegers);
  const bool four = bits == 4 && directory.value(photometricTag, 0) == palette;
  const bool integers = format == unsignedIntegers || format == undefined;
  if (integers && (bits == 1 || bits == 8 || bits == 16 || four)) return;
  file.refuse("is a TIFF of " + std::to_string(bits) + "-bit " +
              (integers ? "" : "signed or floating-point ") +
              "samples, which Softscope does not read; save it with 8 or 16 bits");
}

/// Sets a tag where there is one of 16, 32 or 64 bits.
void setTag(const TiffDirectory& directory, Tag tag, std::uint64_t value,
            std::vector<std::uint8_t>& bytes) {
  constexpr std::pair<std::uint16_t, std::size_t> widths[] = {{3, 2}, {4, 4}, {16, 8}};
  const TiffDirectory::Entry* entry = directory.find(tag);
  if (!entry || entry->count == 0) return;
  for (const auto& [type, width] : widths) {
    if (entry->type == type) directory.write(bytes, entry->valueOffset, width, value);
  }
}

}  // namespace

PictureHeader examineTiff(const EncodedPicture& file) {
  const TiffDirectory directory(file.bytes());
  if (directory.state() != TiffDirectory::State::Whole) file.refuseAsCutShort();
  PictureHeader header;
  header.width = directory.value(widthTag, 0);
  header.height = directory.value(heightTag, 0);
  if (header.width == 0 || header.height == 0) return header;
  const auto orientation = directory.value(orientationTag, 1);
  if (orientation >= 1 && orientation <= 8) header.orientation = static_cast<int>(orientation);
  const auto alpha = directory.value(extraSamplesTag, 0);
  header.premultiplied = alpha == associatedAlpha;
  checkSamples(file, directory);
  const Pieces pieces = findPieces(directory, header);
  if (pieces.tiled) checkTiles(file, directory, header);
  const std::uint64_t total = checkPieces(file, directory, pieces);
  checkLength(file, directory, pieces, header, total);

  // The decoder would turn the picture and multiply its colours by alpha; neither is wanted here.
  // And it takes memory for a whole strip, however few of its rows are the picture's.
  const bool endlessStrip = !pieces.tiled && directory.value(rowsPerStripTag, 0) > header.height;
  if (orientation != 1 || alpha == unassociatedAlpha || endlessStrip) {
    header.replacement.assign(file.bytes().begin(), file.bytes().end());
    setTag(directory, orientationTag, 1, header.replacement);
    if (alpha == unassociatedAlpha) setTag(directory, extraSamplesTag, 0, header.replacement);
    if (endlessStrip) setTag(directory, rowsPerStripTag, header.height, header.replacement);
  }
  return header;
}

}  // namespace softscope
