#include "core/image/Orientation.h"
#include "core/image/PictureFormat.h"
#include "core/image/TiffDirectory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace softscope {
namespace {

enum Tag : std::uint16_t {
  widthTag = 256,
  heightTag = 257,
  bitsPerSampleTag = 258,
  compressionTag = 259,
  photometricTag = 262,
  descriptionTag = 270,
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
  inkSetTag = 332,
  extraSamplesTag = 338,
  sampleFormatTag = 339,
  xmpTag = 700,
  profileTag = 34675,
};

enum Photometric : std::uint64_t {
  whiteIsZero = 0,
  blackIsZero = 1,
  redGreenBlue = 2,
  paletteColors = 3,
  inks = 5,
  lumaAndChroma = 6,
  lab = 8,
  iccLab = 9,
  ituLab = 10,
  filterArray = 32803,
};

constexpr std::uint64_t associatedAlpha = 1;
constexpr std::uint64_t unassociatedAlpha = 2;

bool isCompressed(const TiffDirectory& directory) {
  constexpr std::uint64_t uncompressed = 1;
  return directory.value(compressionTag, uncompressed) != uncompressed;
}

std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0 : (a + b - 1) / b;
}

/// The strips or tiles that hold the pixels.
struct Pieces {
  const TiffDirectory::Entry* offsets = nullptr;
  const TiffDirectory::Entry* byteCounts = nullptr;
  std::uint64_t expected = 0;
  bool tiled = false;
};

Pieces findPieces(const TiffDirectory& directory, const PictureHeader& header) {
  Pieces pieces;
  // The decoder distinguishes them in the same way.
  pieces.tiled = directory.find(tileWidthTag) || directory.find(tileHeightTag) ||
                 directory.find(tileOffsetsTag);
  pieces.offsets = directory.find(pieces.tiled ? tileOffsetsTag : stripOffsetsTag);
  pieces.byteCounts = directory.find(pieces.tiled ? tileByteCountsTag : stripByteCountsTag);
  if (pieces.tiled) {
    pieces.expected = divideUp(header.width, directory.value(tileWidthTag, 0)) *
                      divideUp(header.height, directory.value(tileHeightTag, 0));
  } else {
    const TiffDirectory::Entry* entry = directory.find(rowsPerStripTag);
    // Without a usable number, the decoder may still find one.
    const auto rows = entry ? directory.value(*entry).value_or(0) : header.height;
    pieces.expected = rows >= header.height ? 1 : divideUp(header.height, rows);
  }
  const bool planes = directory.value(planarTag, 1) == 2;
  if (planes) pieces.expected *= directory.value(samplesPerPixelTag, 1);
  return pieces;
}

/// Checks the size of tiles, because the decoder allocates memory for a whole tile even if the
/// picture covers few of its pixels.
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

/// Returns the bytes that each piece of a picture without compression has: of the last strip of a
/// plane, only those of the picture's rows. Nothing if that is not known.
std::function<std::uint64_t(std::uint64_t piece)> plainBytes(const TiffDirectory& directory,
                                                             const Pieces& pieces,
                                                             const PictureHeader& header) {
  if (!pieces.byteCounts) return {};
  if (directory.value(photometricTag, 0) == lumaAndChroma) return {};
  const bool planes = directory.value(planarTag, 1) == 2;
  const std::uint64_t samples = directory.value(samplesPerPixelTag, 1);
  const std::uint64_t bits = directory.value(bitsPerSampleTag, 1) * (planes ? 1 : samples);
  const std::uint64_t perPlane = pieces.expected / (planes ? samples : 1);
  std::uint64_t width = header.width;
  std::uint64_t rows =
      perPlane == 1 ? header.height : directory.value(rowsPerStripTag, header.height);
  std::uint64_t across = 1;
  if (pieces.tiled) {
    width = directory.value(tileWidthTag, 0);
    rows = directory.value(tileHeightTag, 0);
    across = divideUp(header.width, width);
  }
  return [=, isWhole = pieces.tiled, rowBytes = divideUp(width * bits, 8),
          height = header.height](std::uint64_t piece) {
    const std::uint64_t above = piece % perPlane / across * rows;
    return rowBytes * (isWhole ? rows : std::min(rows, height - above));
  };
}

/// Throws unless every piece lies inside the file and, where it is not compressed, is whole:
/// decoders leave what is missing black, without an error.
void checkPieces(const EncodedPicture& file, const TiffDirectory& directory, const Pieces& pieces,
                 const PictureHeader& header) {
  if (!pieces.offsets || pieces.expected == 0) {
    file.refuse("is damaged: the TIFF does not say where its pixels are");
  }
  if (pieces.offsets->count < pieces.expected) file.refuseAsCutShort();
  const auto needed = isCompressed(directory) ? nullptr : plainBytes(directory, pieces, header);
  for (std::uint64_t i = 0; i < pieces.expected; ++i) {
    const auto offset = directory.value(*pieces.offsets, i).value_or(file.size() + 1);
    const auto count = pieces.byteCounts ? directory.value(*pieces.byteCounts, i).value_or(0) : 0;
    if (offset > file.size() || count > file.size() - offset) file.refuseAsCutShort();
    if (needed && count < needed(i)) file.refuseAsCutShort();
  }
}

/// Returns true if a tag with one value per sample has the same value for all.
bool isUniform(const TiffDirectory& directory, Tag tag) {
  const TiffDirectory::Entry* entry = directory.find(tag);
  const std::uint64_t samples = directory.value(samplesPerPixelTag, 1);
  for (std::uint64_t i = 1; entry && i < std::min(entry->count, samples); ++i) {
    if (directory.value(*entry, i) != directory.value(*entry)) return false;
  }
  return true;
}

/// Returns the number of channels other than colours; alpha is one of them.
std::uint64_t furtherChannels(const TiffDirectory& directory) {
  const std::uint64_t samples = directory.value(samplesPerPixelTag, 1);
  switch (directory.value(photometricTag, 0)) {
    case redGreenBlue:
    case lumaAndChroma:
      return samples < 3 ? 2 : samples - 3;
    case inks:
      return samples < 4 ? 2 : samples - 4;
    default:
      return samples - 1;
  }
}

/// Checks the compression, because a decoder that lacks a decompressor returns black without an
/// error.
void checkCompression(const EncodedPicture& file, const TiffDirectory& directory) {
  constexpr std::array<std::uint64_t, 13> readCompressions{1, 2,     3,     4,     5,     6,    7,
                                                           8, 32771, 32773, 32946, 34925, 50000};
  const auto compression = directory.value(compressionTag, 1);
  if (std::ranges::find(readCompressions, compression) != readCompressions.end()) return;
  file.refuse("is a TIFF of compression " + std::to_string(compression) +
              ", which Softscope does not read; save it with LZW or Deflate");
}

void checkColors(const EncodedPicture& file, const TiffDirectory& directory) {
  const std::uint64_t photometric = directory.value(photometricTag, 0);
  const std::uint64_t bits = directory.value(bitsPerSampleTag, 1);
  const auto refuse = [&](const std::string& what) {
    file.refuse("is a TIFF " + what + ", which Softscope does not read; save it as RGB");
  };
  const auto require8Bits = [&](const std::string& what) {
    if (bits != 8) refuse("of " + std::to_string(bits) + "-bit " + what);
  };
  switch (photometric) {
    case whiteIsZero:
    case blackIsZero:
      break;
    case redGreenBlue:
      if (bits == 1) refuse("of 1-bit RGB");
      break;
    case paletteColors:
      if (bits == 16) refuse("with a palette of 65536 colours");
      break;
    case inks:
      require8Bits("CMYK");
      if (directory.value(inkSetTag, 1) != 1) refuse("of inks that are not CMYK");
      break;
    case lumaAndChroma:
      require8Bits("YCbCr");
      break;
    case lab:
    case iccLab:
    case ituLab:
      refuse("in L*a*b* colours");
      break;
    case filterArray:
      refuse("of a camera's raw samples");
      break;
    default:
      refuse("whose colours are of kind " + std::to_string(photometric));
  }
  const std::uint64_t samples = directory.value(samplesPerPixelTag, 1);
  const bool isGrey = photometric == whiteIsZero || photometric == blackIsZero;
  const bool mayHaveMore = isGrey || photometric == redGreenBlue;
  if (furtherChannels(directory) > (mayHaveMore ? 1u : 0u) || (bits == 1 && samples > 1)) {
    refuse("of " + std::to_string(samples) + " channels that are not grey or RGB");
  }
  // The decoder converts these wrongly, or not at all.
  const bool multiplied = directory.value(extraSamplesTag, 0) == associatedAlpha;
  if (isGrey && samples > 1 && (bits == 16 || multiplied)) {
    refuse(bits == 16 ? "of 16-bit grey with alpha" : "of grey multiplied by alpha");
  }
  if (bits == 16 && samples > 1 && directory.value(planarTag, 1) == 2) {
    refuse("of 16-bit channels that stand apart");
  }
}

void checkSamples(const EncodedPicture& file, const TiffDirectory& directory) {
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
  if (!isUniform(directory, bitsPerSampleTag) || !isUniform(directory, sampleFormatTag)) {
    file.refuse("is a TIFF whose channels are of several kinds; save it with 8 or 16 bits in each");
  }
  const auto bits = directory.value(bitsPerSampleTag, 1);
  const auto format = directory.value(sampleFormatTag, unsignedIntegers);
  const bool four = bits == 4 && directory.value(photometricTag, 0) == paletteColors;
  const bool integers = format == unsignedIntegers || format == undefined;
  if (!integers || (bits != 1 && bits != 8 && bits != 16 && !four)) {
    file.refuse("is a TIFF of " + std::to_string(bits) + "-bit " +
                (integers ? "" : "signed or floating-point ") +
                "samples, which Softscope does not read; save it with 8 or 16 bits");
  }
  checkColors(file, directory);
  checkCompression(file, directory);
}

/// Returns the bytes of a tag that consists of single bytes.
std::span<const std::uint8_t> bytesOf(const EncodedPicture& file, const TiffDirectory& directory,
                                      Tag tag) {
  const TiffDirectory::Entry* entry = directory.find(tag);
  if (!entry || (entry->type != 1 && entry->type != 7)) return {};
  return file.slice(entry->valueOffset, entry->count);
}

void readOrientation(const EncodedPicture& file, const TiffDirectory& directory,
                     PictureHeader& header) {
  StatedOrientation orientation;
  const auto stated = directory.value(orientationTag, 0);
  if (stated >= 1 && stated <= 8) orientation.exif = static_cast<int>(stated);
  const auto xmp = bytesOf(file, directory, xmpTag);
  orientation.xmp = xmpOrientation({reinterpret_cast<const char*>(xmp.data()), xmp.size()});
  header.orientation = orientation.chosen();
  header.ownOrientation = orientation.exif.value_or(1);
}

/// Returns the number of images in an ImageJ stack that has one directory for all; 1 for any other
/// file.
std::uint64_t imagesInOne(const TiffDirectory& directory) {
  constexpr std::string_view key = "\nimages=";
  const std::string_view description = directory.text(descriptionTag);
  const auto found = description.find(key);
  if (!description.starts_with("ImageJ=") || found == description.npos) return 1;
  std::uint64_t images = 1;
  const std::string_view number = description.substr(found + key.size());
  std::from_chars(number.data(), number.data() + number.size(), images);
  return images;
}

void countPages(const EncodedPicture& file, const TiffDirectory& directory, int page,
                PictureHeader& header) {
  const auto pages = directory.pages();
  if (!pages) file.refuse("is damaged: the pages of the TIFF go in a circle");
  header.pages = *pages;
  const auto wanted = static_cast<std::uint64_t>(page);
  const std::uint64_t images = header.pages == 1 ? imagesInOne(directory) : 1;
  if (wanted > 1 && images > 1) {
    file.refuse("is a stack of ImageJ's with one directory for all " + std::to_string(images) +
                " images, of which the first is read; save it with a directory for each");
  }
  if (wanted > header.pages) refuseMissingPage(file, header, page);
  header.pages = std::max(header.pages, images);
}

void describeSamples(const EncodedPicture& file, const TiffDirectory& directory,
                     PictureHeader& header) {
  const auto photometric = directory.value(photometricTag, 0);
  const auto extra = directory.value(extraSamplesTag, 0);
  header.bits = directory.value(bitsPerSampleTag, 1) == 16 ? 16 : 8;
  header.isGrey = photometric == whiteIsZero || photometric == blackIsZero;
  header.isNegative = photometric == whiteIsZero && header.bits == 16;
  header.hasAlpha = extra == associatedAlpha || extra == unassociatedAlpha;
  header.premultiplied = extra == associatedAlpha;
  const auto profile = bytesOf(file, directory, profileTag);
  if (!profile.empty()) header.profile = unusedProfile(profile);
}

}  // namespace

PictureHeader examineTiff(const EncodedPicture& file, int page) {
  PictureHeader header;
  const TiffDirectory first(file.bytes());
  if (first.state() == TiffDirectory::State::NotTiff) file.refuseAsCutShort();
  countPages(file, first, page, header);
  const TiffDirectory directory(file.bytes(), static_cast<std::uint64_t>(page));
  if (directory.state() != TiffDirectory::State::Whole) file.refuseAsCutShort();
  header.width = directory.value(widthTag, 0);
  header.height = directory.value(heightTag, 0);
  if (header.width == 0 || header.height == 0) return header;
  readOrientation(file, directory, header);
  checkSamples(file, directory);
  describeSamples(file, directory, header);
  const Pieces pieces = findPieces(directory, header);
  if (pieces.tiled) checkTiles(file, directory, header);
  checkPieces(file, directory, pieces, header);

  // The decoder would turn the picture and multiply its colours by alpha; neither is wanted here.
  // It also allocates memory for a whole strip, even if the picture covers few of its rows.
  const bool turns = directory.value(orientationTag, 1) != 1;
  const bool multiplies = directory.value(extraSamplesTag, 0) == unassociatedAlpha;
  const bool endlessStrip = !pieces.tiled && directory.value(rowsPerStripTag, 0) > header.height;
  if (turns || multiplies || endlessStrip || page > 1) {
    header.replacement.assign(file.bytes().begin(), file.bytes().end());
    directory.makeFirst(header.replacement);
    directory.setValue(header.replacement, orientationTag, 1);
    if (multiplies) directory.setValue(header.replacement, extraSamplesTag, 0);
    if (endlessStrip) {
      directory.setValue(header.replacement, rowsPerStripTag,
                         static_cast<std::uint32_t>(header.height));
    }
  }
  return header;
}

}  // namespace softscope
