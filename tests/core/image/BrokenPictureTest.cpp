#include "core/Error.h"
#include "core/image/Picture.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/image/PictureBytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <string>
#include <utility>

namespace softscope::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Bytes text(const std::string& content) {
  return Bytes(content.begin(), content.end());
}

Bytes cut(const char* name, std::size_t keep) {
  Bytes bytes = readFile(fixture(name));
  bytes.resize(std::min(keep, bytes.size() - 1));
  return bytes;
}

Bytes half(const char* name) {
  return cut(name, readFile(fixture(name)).size() / 2);
}

Bytes withoutLast(const char* name, std::size_t count) {
  return cut(name, readFile(fixture(name)).size() - count);
}

/// A fixture with some of its bytes replaced.
Bytes patched(const char* name, std::size_t offset, const Bytes& replacement) {
  Bytes bytes = readFile(fixture(name));
  std::copy(replacement.begin(), replacement.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  return bytes;
}

/// rgb.jpg with new bytes at a distance from the start of its frame marker: 5 is the height, 7 the
/// width, 4 the bits a sample.
Bytes jpegFrame(std::size_t distance, const Bytes& replacement) {
  const Bytes bytes = readFile(fixture("rgb.jpg"));
  const Bytes marker{0xff, 0xc0};
  const auto frame = std::search(bytes.begin(), bytes.end(), marker.begin(), marker.end());
  return patched("rgb.jpg", static_cast<std::size_t>(frame - bytes.begin()) + distance,
                 replacement);
}

/// A PNG whose header promises what its checksum confirms, so that only the size is wrong.
Bytes pngClaiming(const Bytes& size, const Bytes& checksum) {
  Bytes bytes = patched("rgb.png", 16, size);
  std::copy(checksum.begin(), checksum.end(), bytes.begin() + 29);
  return bytes;
}

/// Where the entry of a tag stands in a little-endian TIFF with its directory at byte 8.
std::size_t tiffEntry(const Bytes& bytes, int tag) {
  std::size_t at = 10;
  while (bytes.at(at) + 256 * bytes.at(at + 1) != tag) at += 12;
  return at;
}

Bytes tiffTag(const char* name, int tag, int newTag) {
  return patched(
      name, tiffEntry(readFile(fixture(name)), tag),
      {static_cast<std::uint8_t>(newTag & 0xff), static_cast<std::uint8_t>(newTag >> 8)});
}

Bytes tiffValue(const char* name, int tag, std::uint8_t value) {
  return patched(name, tiffEntry(readFile(fixture(name)), tag) + 8, {value, 0});
}

/// Gives a little-endian TIFF with its directory at byte 16 two strips.
Bytes withTwoStrips(Bytes file, const std::array<std::uint8_t, 2>& offsets,
                    const std::array<std::uint8_t, 2>& counts) {
  for (const auto& [tag, values] : {std::pair(273, offsets), std::pair(279, counts)}) {
    std::size_t at = 18;
    while (file.at(at) + 256 * file.at(at + 1) != tag) at += 12;
    const Bytes entry{3, 0, 2, 0, 0, 0, values[0], 0, values[1], 0};
    std::copy(entry.begin(), entry.end(), file.begin() + static_cast<std::ptrdiff_t>(at) + 2);
  }
  return file;
}

struct Broken {
  const char* what;
  std::function<Bytes()> bytes;
  const char* phrase;
};

std::ostream& operator<<(std::ostream& stream, const Broken& broken) {
  return stream << broken.what;
}

const char* const damagedTiff = "cannot be decoded as TIFF; the file is probably damaged";
const char* const cutShort = "is cut short: the end of the picture is missing";
const char* const noPicture = "is not a picture Softscope reads (JPEG, PNG, WebP, TIFF, BMP)";

const Broken brokenPictures[] = {
    {"Empty", [] { return Bytes(); }, "is empty"},
    {"OneByte", [] { return Bytes{0xff}; }, noPicture},
    {"Text", [] { return text("Dear diary,\ntoday I saw a cat.\n"); }, noPicture},
    {"TextThatBeginsLikeABitmap", [] { return text("BMW makes cars, not pictures"); }, noPicture},
    {"Gif", [] { return readFile(fixture("refused.gif")); }, "is a GIF"},
    {"Svg", [] { return text("<?xml version=\"1.0\"?>\n<svg width=\"3\"/>"); },
     "is an SVG drawing"},
    {"Heic", [] { return text(std::string("\0\0\0\x18", 4) + "ftypheic----"); },
     "is a HEIC picture"},
    {"Avif", [] { return text(std::string("\0\0\0\x18", 4) + "ftypavif----"); },
     "is an AVIF picture"},
    {"Pdf", [] { return text("%PDF-1.4"); }, "is a PDF"},

    {"JpegHalf", [] { return half("rgb.jpg"); }, cutShort},
    {"JpegProgressiveHalf", [] { return half("progressive.jpg"); }, cutShort},
    {"JpegWithoutItsLastTwoBytes", [] { return withoutLast("rgb.jpg", 2); }, cutShort},
    {"JpegWithoutItsLastByte", [] { return withoutLast("rgb.jpg", 1); }, cutShort},
    {"JpegStartOnly", [] { return cut("rgb.jpg", 3); }, cutShort},
    {"JpegWithoutFrame",
     [] {
       return Bytes{0xff, 0xd8, 0xff, 0xd9};
     },
     "holds no picture data"},
    {"JpegOfNoHeight",
     [] {
       return jpegFrame(5, {0, 0});
     },
     "says that it is 24 x 0 pixels"},
    {"JpegTooLarge",
     [] {
       return jpegFrame(5, {0xff, 0xff, 0xff, 0xff});
     },
     "is 65535 x 65535 pixels, more than the 100 megapixels"},
    {"JpegOf12Bits", [] { return jpegFrame(4, {12}); }, "is a JPEG of 12-bit samples"},
    {"JpegLossless", [] { return jpegFrame(1, {0xc3}); }, "is a lossless or hierarchical JPEG"},
    {"JpegCmykWithoutAdobe", [] { return readFile(fixture("cmyk_no_adobe.jpg")); },
     "is a CMYK JPEG that does not say how its inks are stored"},

    {"PngHalf", [] { return half("rgb.png"); }, cutShort},
    {"PngWithoutItsLastByte", [] { return withoutLast("rgb.png", 1); }, cutShort},
    {"PngWithoutItsEndChunk", [] { return withoutLast("rgb.png", 12); }, cutShort},
    {"PngSignatureOnly", [] { return cut("rgb.png", 8); }, cutShort},
    {"PngFlippedByte",
     [] {
       return patched("rgb.png", 80, {0xa5, 0x5a});
     },
     "the checksum of a PNG chunk is wrong"},
    {"PngFlippedSize", [] { return patched("rgb.png", 19, {99}); },
     "the checksum of a PNG chunk is wrong"},
    {"PngOfNoWidth",
     [] {
       return pngClaiming({0, 0, 0, 0}, {0xb7, 0x3f, 0xe9, 0xde});
     },
     "says that it is 0 x 16 pixels"},
    {"PngWithTwoHeaders",
     [] {
       const Bytes png = readFile(fixture("rgb.png"));
       return pngWith(png, "IHDR", Bytes(png.begin() + 16, png.begin() + 29));
     },
     "the PNG has two headers"},
    {"PngWithTwoPalettes",
     [] { return pngWith(readFile(fixture("palette.png")), "PLTE", Bytes(3 * 256, 7)); },
     "the PNG has two palettes"},
    {"PngTooLarge",
     [] {
       return pngClaiming({0, 1, 0, 0, 0, 1, 0, 0}, {0xe3, 0xe6, 0xa7, 0xb4});
     },
     "is 65536 x 65536 pixels, more than the 100 megapixels"},

    {"WebpHalf", [] { return half("rgb.webp"); }, cutShort},
    {"WebpWithoutItsLastByte", [] { return withoutLast("rgb_lossless.webp", 1); }, cutShort},
    {"WebpWithoutKeyFrame",
     [] {
       return patched("rgb.webp", 23, {0, 0, 0});
     },
     "does not begin with a key frame"},
    {"WebpOfNoWidth",
     [] {
       return patched("rgb.webp", 26, {0, 0});
     },
     "says that it is 0 x 16 pixels"},
    {"WebpTooLarge",
     [] {
       return patched("rgb.webp", 26, {0xff, 0x3f, 0xff, 0x3f});
     },
     "is 16383 x 16383 pixels, more than the 100 megapixels"},
    {"WebpThatAnotherDecoderMightTake",
     [] {
       return patched("rgb.webp", 128, {'D', 'I', 'C', 'M'});
     },
     "the WebP has the mark of DICOM or DTED in it"},
    {"TiffThatAnotherDecoderMightTake",
     [] {
       return patched("rgb.tif", 128, {'D', 'I', 'C', 'M'});
     },
     "the TIFF has the mark of DICOM or DTED in it"},
    {"WebpOfALargerCanvas", [] { return patched("orientation_6.webp", 26, {2}); },
     "the WebP's canvas is not as large as the picture on it"},
    {"WebpAnimated", [] { return readFile(fixture("refused_animated.webp")); },
     "is an animated WebP"},

    {"TiffHalf", [] { return half("rgb.tif"); }, cutShort},
    {"TiffWithoutItsLastByte", [] { return withoutLast("rgb_planes.tif", 1); }, cutShort},
    {"TiffCompressedHalf", [] { return half("rgb_lzw.tif"); }, cutShort},
    {"TiffWithDamagedLzw", [] { return patched("rgb_lzw.tif", 508, Bytes(8, 0xff)); }, damagedTiff},
    {"TiffWithDamagedDeflate", [] { return patched("rgb_deflate.tif", 672, Bytes(8, 0xff)); },
     damagedTiff},
    {"TiffWithADamagedTile", [] { return patched("rgb_tiles.tif", 700, Bytes(8, 0xff)); },
     damagedTiff},
    {"TiffWithRunsThatEndBeforeTheirRows",
     [] {
       return tiffOf({{.width = 4,
                       .height = 2,
                       .bits = 8,
                       .pixels = {3, 1, 2, 3, 4},
                       .tags = {{259, 32773}}}});
     },
     damagedTiff},
    {"TiffWithAShortStripBesideALongOne",
     [] {
       // Two strips of one row of four pixels, whose bytes are five for one row and three for two.
       Bytes file = tiffOf({{.width = 4,
                             .height = 2,
                             .bits = 8,
                             .pixels = {1, 2, 3, 4, 5, 6, 7, 8},
                             .tags = {{278, 1}, {273, 8}, {279, 3}}}});
       return withTwoStrips(std::move(file), {8, 13}, {5, 3});
     },
     cutShort},
    {"TiffHeaderOnly", [] { return cut("rgb.tif", 8); }, cutShort},
    {"BigTiffHalf", [] { return half("rgb_big.tif"); }, cutShort},
    {"TiffOfFloats", [] { return readFile(fixture("float.tif")); },
     "is a TIFF of 32-bit signed or floating-point samples"},
    {"TiffOfFiveChannels", [] { return tiffValue("rgb_deflate.tif", 277, 5); },
     "is a TIFF of 5 channels"},
    {"TiffWithoutPhotometric", [] { return tiffTag("rgb_deflate.tif", 262, 60000); },
     "does not say what its samples mean"},
    {"TiffWithoutStrips", [] { return tiffTag("rgb_deflate.tif", 273, 60000); },
     "does not say where its pixels are"},
    {"TiffWithRowsOfNoNumber",
     [] {
       return patched("rgb.tif", tiffEntry(readFile(fixture("rgb.tif")), 278) + 2, {11, 0});
     },
     "does not say where its pixels are"},
    {"TiffOfNoWidth",
     [] {
       return patched("rgb_planes.tif", 18, {0, 0, 0, 0});
     },
     "says that it is 0 x 16 pixels"},
    {"TiffTooLarge",
     [] {
       return patched("rgb_deflate.tif", 18, {0xff, 0xff, 0xff, 0x7f});
     },
     "more than the 100 megapixels"},

    {"BmpHalf", [] { return half("rgb.bmp"); }, cutShort},
    {"BmpWithoutItsLastByte", [] { return withoutLast("rgb.bmp", 1); }, cutShort},
    {"BmpHeaderOnly", [] { return cut("rgb.bmp", 20); }, cutShort},
    {"BmpOfNoWidth",
     [] {
       return patched("rgb.bmp", 18, {0, 0, 0, 0});
     },
     "says that it is 0 x 16 pixels"},
    {"BmpOfNegativeWidth",
     [] {
       return patched("rgb.bmp", 18, {0xff, 0xff, 0xff, 0xff});
     },
     "has a negative width"},
    {"BmpRunsHalf", [] { return half("palette_runs.bmp"); }, cutShort},
    {"BmpRunsWithoutTheirEnd", [] { return withoutLast("palette_runs.bmp", 2); }, cutShort},
    {"BmpOf7Bits", [] { return patched("rgb.bmp", 28, {7}); }, "a BMP of 7 bits a pixel"},
    {"BmpWithAHugePalette",
     [] {
       return patched("palette.bmp", 46, {0, 0, 1, 0});
     },
     "the BMP palette is too large"},
    {"BmpWithEndlessRuns", [] { return patched("grey.bmp", 30, {1}); }, cutShort},
    {"BmpOfUnknownCompression", [] { return patched("rgb.bmp", 30, {9}); },
     "a compression that Softscope does not read"},
};

/// Runs `read` and returns what its PictureError says; fails where there is none.
std::string complaintOf(const std::function<void()>& read) {
  const std::string message = test::messageOf<PictureError>(read);
  EXPECT_FALSE(message.empty()) << "read without complaint";
  return message;
}

class BrokenPicture : public testing::TestWithParam<Broken> {};

TEST_P(BrokenPicture, IsRefusedInOneLineThatNamesIt) {
  const TemporaryFolder folder;
  const std::string path = folder / "broken";
  writeFile(path, GetParam().bytes());
  testing::internal::CaptureStderr();
  const std::string message = complaintOf([&] { readPicture(path); });
  const std::string noise = testing::internal::GetCapturedStderr();
  EXPECT_THAT(message, StartsWith(path + ": "));
  EXPECT_THAT(message, HasSubstr(GetParam().phrase));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  EXPECT_EQ(noise, "") << "a library spoke as well";
}

INSTANTIATE_TEST_SUITE_P(Kinds, BrokenPicture, testing::ValuesIn(brokenPictures),
                         [](const auto& kind) { return std::string(kind.param.what); });

TEST(UnreadablePicture, MissingFile) {
  EXPECT_EQ(complaintOf([] { readPicture("/nowhere/cat.jpg"); }),
            "/nowhere/cat.jpg: does not exist");
}

TEST(UnreadablePicture, Folder) {
  const TemporaryFolder folder;
  const std::string path = folder / "";
  EXPECT_EQ(complaintOf([&] { readPicture(path); }), path + ": is a folder, not a picture");
}

TEST(UnreadablePicture, Device) {
  EXPECT_EQ(complaintOf([] { readPicture("/dev/zero"); }), "/dev/zero: is not an ordinary file");
}

TEST(UnreadablePicture, LargerThanAnyPicture) {
  const TemporaryFolder folder;
  const std::string path = folder / "huge.bmp";
  writeFile(path, readFile(fixture("rgb.bmp")));
  std::filesystem::resize_file(path, std::uintmax_t{3} << 30);
  EXPECT_EQ(complaintOf([&] { readPicture(path); }),
            path + ": is larger than 1 GiB, more than Softscope reads as a picture");
}

/// Whatever the length, a file that lost its end is refused and never shown in part.
TEST(TruncatedPicture, IsRefusedAtEveryLength) {
  const char* const names[] = {"rgb.jpg",          "progressive.jpg",   "cmyk.jpg",
                               "rgb.png",          "palette.png",       "rgb_interlaced.png",
                               "rgb.webp",         "rgb_lossless.webp", "orientation_6.webp",
                               "rgb.bmp",          "palette.bmp",       "rgb_planes.tif",
                               "palette_runs.bmp", "rgb_tiles.tif",     "orientation_6.jpg",
                               "orientation_6.png"};
  for (const char* name : names) {
    const Bytes whole = readFile(fixture(name));
    for (std::size_t length = 0; length < whole.size(); length += 7) {
      EXPECT_THROW(decodePicture(whole.data(), length, name), PictureError)
          << name << " cut to " << length;
    }
    EXPECT_NO_THROW(decodePicture(whole.data(), whole.size(), name)) << name;
  }
}

}  // namespace
}  // namespace softscope::test
