#include "core/image/Picture.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/core/image/Fixtures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace softscope::test {
namespace {

/// Which pixels Pillow reads from a file, and how many levels apart ours may be: none where the
/// format is lossless; one or two where Pillow rounds the same arithmetic otherwise; three where
/// another version of a lossy decoder may be at work.
struct Decoding {
  const char* file;
  const char* expected;
  int tolerance;
};

std::ostream& operator<<(std::ostream& stream, const Decoding& decoding) {
  return stream << decoding.file;
}

constexpr Decoding decodings[] = {
    {"rgb.png", "rgb", 0},
    {"rgb_interlaced.png", "rgb", 0},
    {"rgb_odd_chunks.png", "rgb", 0},
    {"rgb.bmp", "rgb", 0},
    {"rgb_top_down.bmp", "rgb", 0},
    {"rgb.tif", "rgb", 0},
    {"rgb_lzw.tif", "rgb", 0},
    {"rgb_deflate.tif", "rgb", 0},
    {"rgb_lzma.tif", "rgb", 0},
    {"rgb_zstd.tif", "rgb", 0},
    {"rgb_big_endian.tif", "rgb", 0},
    {"rgb_big.tif", "rgb", 0},
    {"rgb_tiles.tif", "rgb", 0},
    {"rgb_planes.tif", "rgb", 0},
    {"rgb_lossless.webp", "rgb", 0},
    {"rgba.png", "rgb", 0},
    {"rgba.tif", "rgb", 0},
    {"rgba.bmp", "rgb", 0},
    {"rgba_lossless.webp", "rgb", 0},
    {"rgba_premultiplied.tif", "premultiplied", 0},
    {"grey.png", "grey", 0},
    {"grey.bmp", "grey", 0},
    {"grey.tif", "grey", 0},
    {"grey_inverted.tif", "grey", 0},
    {"grey_alpha.png", "grey", 0},
    {"palette.png", "palette", 0},
    {"palette_transparent.png", "palette", 0},
    {"palette.bmp", "palette", 0},
    {"palette_runs.bmp", "palette", 0},
    {"palette.tif", "palette", 0},
    {"bilevel.png", "bilevel", 0},
    {"bilevel.bmp", "bilevel", 0},
    {"bilevel.tif", "bilevel", 0},
    {"rgb16.png", "rgb", 0},
    {"rgba16.png", "rgb", 0},
    {"grey16.png", "grey", 0},
    {"rgb16.tif", "rgb", 1},
    {"grey16.tif", "grey", 1},
    {"cmyk.tif", "cmyk", 1},
    {"cmyk.jpg", "cmyk_jpg", 3},
    {"ycck.jpg", "ycck_jpg", 3},
    {"rgb.jpg", "rgb_jpg", 3},
    {"restarts.jpg", "rgb_jpg", 3},
    {"progressive.jpg", "progressive_jpg", 3},
    {"grey.jpg", "grey_jpg", 3},
    {"rgb.webp", "rgb_webp", 3},
    {"orientation_6.png", "turned_6", 0},
    {"orientation_6.webp", "turned_6", 0},
    {"orientation_6.tif", "turned_6", 0},
    {"orientation_7.tif", "turned_7", 0},
};

class PictureDecoding : public testing::TestWithParam<Decoding> {};

TEST_P(PictureDecoding, GivesThePixelsThatPillowReads) {
  const Picture picture = readPicture(fixture(GetParam().file));
  const Picture expected = expectedPixels(GetParam().expected);
  EXPECT_EQ(picture.width, expected.width);
  EXPECT_EQ(picture.height, expected.height);
  EXPECT_LE(largestDifference(picture, expected), GetParam().tolerance);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, PictureDecoding, testing::ValuesIn(decodings));

TEST(Picture, RemembersItsPath) {
  EXPECT_EQ(readPicture(fixture("rgb.png")).path, fixture("rgb.png"));
}

class Orientation : public testing::TestWithParam<int> {};

TEST_P(Orientation, IsAppliedAsPillowAppliesIt) {
  const std::string name = "orientation_" + std::to_string(GetParam());
  const Picture picture = readPicture(fixture(name + ".jpg"));
  EXPECT_LE(largestDifference(picture, expectedPixels(name)), 3);
}

TEST_P(Orientation, CanBeIgnored) {
  const std::string name = "orientation_" + std::to_string(GetParam());
  const Picture picture = readPicture(fixture(name + ".jpg"), asPublished);
  EXPECT_LE(largestDifference(picture, expectedPixels("orientation_1")), 3);
  EXPECT_EQ(picture.source.isUpright, GetParam() == 1);
}

INSTANTIATE_TEST_SUITE_P(AllEight, Orientation, testing::Range(1, 9));

TEST(OrientationOfOtherFormats, CanBeIgnored) {
  for (const char* name : {"orientation_6.png", "orientation_6.webp"}) {
    const Picture picture = readPicture(fixture(name), asPublished);
    EXPECT_EQ(largestDifference(picture, expectedPixels("rgb")), 0) << name;
  }
}

// Pillow turns a TIFF by its own tag as it reads it.
TEST(OrientationOfOtherFormats, IsNotIgnoredInTiffs) {
  const Picture picture = readPicture(fixture("orientation_6.tif"), asPublished);
  EXPECT_EQ(largestDifference(picture, expectedPixels("turned_6")), 0);
  EXPECT_TRUE(picture.source.isUpright);
}

TEST(Picture, FormatIsTakenFromTheBytesAndNotFromTheName) {
  const TemporaryFolder folder;
  writeFile(folder / "really-a-png.jpg", readFile(fixture("rgb.png")));
  const Picture picture = readPicture(folder / "really-a-png.jpg");
  EXPECT_EQ(largestDifference(picture, expectedPixels("rgb")), 0);
}

TEST(Picture, AStripMayPromiseMoreRowsThanThePictureHas) {
  Bytes bytes = readFile(fixture("rgb.tif"));
  std::size_t entry = 10;
  while (bytes.at(entry) + 256 * bytes.at(entry + 1) != 278) entry += 12;
  for (const std::array<std::uint8_t, 4> rows :
       {std::array<std::uint8_t, 4>{0x10, 0, 0x40, 0}, {0xff, 0xff, 0xff, 0xff}}) {
    std::copy(rows.begin(), rows.end(), bytes.begin() + static_cast<std::ptrdiff_t>(entry) + 8);
    const Picture picture = decodePicture(bytes.data(), bytes.size(), "rows.tif");
    EXPECT_EQ(largestDifference(picture, expectedPixels("rgb")), 0);
  }
}

TEST(Picture, BytesAfterTheEndAreNotLookedAt) {
  for (const char* name : {"rgb.jpg", "rgb.png", "rgb_lossless.webp", "rgb.bmp", "rgb.tif"}) {
    const Picture whole = readPicture(fixture(name));
    Bytes bytes = readFile(fixture(name));
    bytes.insert(bytes.end(), 1000, 0xff);
    const Picture followed = decodePicture(bytes.data(), bytes.size(), name);
    EXPECT_EQ(largestDifference(followed, whole), 0) << name;
  }
}

TEST(Picture, BundledOnesAreWhole) {
  const std::string folder = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/";
  const Picture chelsea = readPicture(folder + "chelsea.png");
  EXPECT_EQ(chelsea.width, 451);
  EXPECT_EQ(chelsea.height, 300);
  const Picture astronaut = readPicture(folder + "astronaut.jpg");
  EXPECT_EQ(astronaut.width, 512);
  EXPECT_EQ(astronaut.height, 512);
}

}  // namespace
}  // namespace softscope::test
