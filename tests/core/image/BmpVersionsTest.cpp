#include "core/Error.h"
#include "core/image/Picture.h"
#include "tests/core/image/PictureBytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <ostream>
#include <string>

namespace softscope::test {
namespace {

using Masks = std::vector<std::uint32_t>;

constexpr std::uint32_t bitFields = 3;

Picture decodedBmp(const Bytes& bytes) {
  return decodePicture(bytes.data(), bytes.size(), "drawn.bmp");
}

/// The levels that masks of few bits leave of a picture, spread over 0 to 255 as Pillow spreads
/// them.
Picture throughMasks(Picture picture, const Masks& masks) {
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) {
    const int width = std::min(8, std::popcount(masks[i % 3]));
    const int most = (1 << width) - 1;
    picture.rgb[i] = static_cast<std::uint8_t>((picture.rgb[i] >> (8 - width)) * 255 / most);
  }
  return picture;
}

struct MaskedBmp {
  const char* name;
  int bits;
  Masks masks;
};

std::ostream& operator<<(std::ostream& stream, const MaskedBmp& bmp) {
  return stream << bmp.name;
}

const MaskedBmp maskedBmps[] = {
    {"Bgra", 32, {0xff0000, 0xff00, 0xff, 0xff000000}},
    {"Rgba", 32, {0xff, 0xff00, 0xff0000, 0xff000000}},
    {"Argb", 32, {0xff00, 0xff0000, 0xff000000, 0xff}},
    {"Abgr", 32, {0xff000000, 0xff0000, 0xff00, 0xff}},
    {"GreenRedBlue", 32, {0xff00, 0xff, 0xff0000, 0}},
    {"TenBits", 32, {0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}},
    {"Bits565", 16, {0xf800, 0x7e0, 0x1f, 0}},
    {"Bits555", 16, {0x7c00, 0x3e0, 0x1f, 0x8000}},
    {"Bits444", 16, {0xf00, 0xf0, 0xf, 0xf000}},
    {"Bits565Turned", 16, {0x1f, 0x7e0, 0xf800, 0}},
};

class MaskedPixels : public testing::TestWithParam<MaskedBmp> {};

TEST_P(MaskedPixels, HaveTheirColoursInEveryVersionOfTheHeader) {
  const Picture base = expectedPixels("rgb");
  const Picture expected = throughMasks(base, GetParam().masks);
  for (const std::uint32_t headerSize : {40u, 52u, 56u, 108u, 124u}) {
    BmpRecipe recipe{.headerSize = headerSize,
                     .width = base.width,
                     .height = base.height,
                     .bits = GetParam().bits,
                     .compression = bitFields,
                     .masks = GetParam().masks,
                     .palette = {},
                     .pixels = maskedRows(base, GetParam().bits, GetParam().masks)};
    if (headerSize <= 52) recipe.masks.pop_back();
    const Picture picture = decodedBmp(bmpOf(recipe));
    EXPECT_EQ(largestDifference(picture, expected), 0) << headerSize;
    const bool hasAlpha = headerSize > 52 && GetParam().masks[3] != 0;
    EXPECT_EQ(picture.source.lostAlpha, hasAlpha) << headerSize;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, MaskedPixels, testing::ValuesIn(maskedBmps),
                         [](const auto& layout) { return std::string(layout.param.name); });

TEST(BmpVersions, MasksOfAlphaMayFollowTheFirstHeader) {
  const Picture base = expectedPixels("rgb");
  const Masks masks{0xff, 0xff00, 0xff0000, 0xff000000};
  const Picture picture = decodedBmp(bmpOf({.width = base.width,
                                            .height = base.height,
                                            .bits = 32,
                                            .compression = 6,
                                            .masks = masks,
                                            .palette = {},
                                            .pixels = maskedRows(base, 32, masks)}));
  EXPECT_EQ(largestDifference(picture, base), 0);
}

TEST(BmpVersions, WithoutMasksAreTheUsualLayouts) {
  const Picture base = expectedPixels("rgb");
  const std::pair<int, Masks> layouts[] = {{16, {0x7c00, 0x3e0, 0x1f}},
                                           {32, {0xff0000, 0xff00, 0xff, 0xff000000}}};
  for (const auto& [bits, masks] : layouts) {
    const Picture picture = decodedBmp(bmpOf({.width = base.width,
                                              .height = base.height,
                                              .bits = bits,
                                              .masks = {},
                                              .palette = {},
                                              .pixels = maskedRows(base, bits, masks)}));
    EXPECT_EQ(largestDifference(picture, throughMasks(base, masks)), 0) << bits;
    EXPECT_FALSE(picture.source.lostAlpha) << "the fourth byte means nothing";
  }
}

TEST(BmpVersions, OfEveryHeaderAreReadWithAndWithoutAPalette) {
  const Picture base = expectedPixels("rgb");
  for (const std::uint32_t headerSize : {12u, 16u, 40u, 52u, 56u, 64u, 108u, 124u}) {
    BmpRecipe recipe{.headerSize = headerSize,
                     .width = 24,
                     .height = 16,
                     .masks = {},
                     .palette = {},
                     .pixels = {}};
    for (int y = 15; y >= 0; --y) {
      for (int x = 0; x < 24; ++x) {
        for (const int c : {2, 1, 0}) {
          recipe.pixels.push_back(base.rgb[static_cast<std::size_t>((y * 24 + x) * 3 + c)]);
        }
      }
    }
    EXPECT_EQ(largestDifference(decodedBmp(bmpOf(recipe)), base), 0) << headerSize;
    for (const int bits : {1, 4, 8}) {
      BmpRecipe indexed{.headerSize = headerSize,
                        .width = 8,
                        .height = 1,
                        .bits = bits,
                        .masks = {},
                        .palette = {},
                        .pixels = {}};
      for (int i = 0; i < 1 << bits; ++i) {
        const auto level = static_cast<std::uint8_t>(i * 7 + 1);
        indexed.palette.push_back({level, static_cast<std::uint8_t>(level + 1), 9});
      }
      indexed.pixels = bits == 1   ? Bytes{0b01100101, 0, 0, 0}
                       : bits == 4 ? Bytes{0x01, 0x10, 0x01, 0x01}
                                   : Bytes{0, 1, 1, 0, 0, 1, 0, 1};
      const Picture picture = decodedBmp(bmpOf(indexed));
      const std::vector<int> indices{0, 1, 1, 0, 0, 1, 0, 1};
      for (std::size_t x = 0; x < 8; ++x) {
        EXPECT_EQ(picture.rgb[3 * x], indices[x] * 7 + 1) << headerSize << ' ' << bits;
        EXPECT_EQ(picture.rgb[3 * x + 2], 9) << headerSize << ' ' << bits;
      }
    }
  }
}

TEST(BmpVersions, RunsStepOverPixelsAndAreCutAtTheRow) {
  BmpRecipe recipe{.width = 6,
                   .height = 2,
                   .bits = 4,
                   .compression = 2,
                   .masks = {},
                   .palette = {},
                   .pixels = {}};
  for (int i = 0; i < 16; ++i) recipe.palette.push_back({static_cast<std::uint8_t>(10 * i), 0, 0});
  // Two pixels are stepped over, then four literals; a new row; a run of 9 of 5 and 6 by turns.
  recipe.pixels = {0, 2, 2, 0, 0, 4, 0x12, 0x34, 0, 0, 9, 0x56, 0, 1};
  const Picture picture = decodedBmp(bmpOf(recipe));
  Bytes reds;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) reds.push_back(picture.rgb[i]);
  EXPECT_EQ(reds, (Bytes{50, 60, 50, 60, 50, 60, 0, 0, 10, 20, 30, 40}));
}

struct RefusedBmp {
  const char* name;
  BmpRecipe recipe;
  const char* phrase;
};

std::ostream& operator<<(std::ostream& stream, const RefusedBmp& bmp) {
  return stream << bmp.name;
}

const RefusedBmp refusedBmps[] = {
    {"MasksThatOverlap",
     {.width = 1,
      .height = 1,
      .bits = 32,
      .compression = 3,
      .masks = {0xff, 0x1ff, 0xff0000},
      .palette = {},
      .pixels = Bytes(4)},
     "bit masks overlap"},
    {"MasksWithGaps",
     {.width = 1,
      .height = 1,
      .bits = 32,
      .compression = 3,
      .masks = {0x101, 0xfe00, 0xff0000},
      .palette = {},
      .pixels = Bytes(4)},
     "or have gaps"},
    {"MasksBeyondThePixel",
     {.width = 1,
      .height = 1,
      .bits = 16,
      .compression = 3,
      .masks = {0xff0000, 0xff00, 0xff},
      .palette = {},
      .pixels = Bytes(4)},
     "bit masks"},
    {"MasksOfNothing",
     {.width = 1,
      .height = 1,
      .bits = 16,
      .compression = 3,
      .masks = {0, 0, 0},
      .palette = {},
      .pixels = Bytes(4)},
     "bit masks are empty"},
    {"MasksOf24Bits",
     {.width = 1,
      .height = 1,
      .bits = 24,
      .compression = 3,
      .masks = {0xff, 0xff00, 0xff0000},
      .palette = {},
      .pixels = Bytes(4)},
     "a compression that Softscope does not read"},
    {"RunsOfOtherBits",
     {.width = 1,
      .height = 1,
      .bits = 24,
      .compression = 1,
      .masks = {},
      .palette = {},
      .pixels = Bytes{0, 1}},
     "a compression that Softscope does not read"},
    {"HuffmanOfOs2",
     {.headerSize = 64,
      .width = 1,
      .height = 1,
      .bits = 1,
      .compression = 3,
      .masks = {},
      .palette = {{1, 2, 3}, {4, 5, 6}},
      .pixels = Bytes(4)},
     "a compression that Softscope does not read"},
    {"HeaderOfNoVersion",
     {.headerSize = 72, .width = 1, .height = 1, .masks = {}, .palette = {}, .pixels = Bytes(4)},
     "there is no BMP header of 72 bytes"},
};

class RefusedBmpPixels : public testing::TestWithParam<RefusedBmp> {};

TEST_P(RefusedBmpPixels, AreRefusedInWords) {
  try {
    decodedBmp(bmpOf(GetParam().recipe));
    FAIL() << "read";
  } catch (const PictureError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(GetParam().phrase));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RefusedBmpPixels, testing::ValuesIn(refusedBmps),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace softscope::test
