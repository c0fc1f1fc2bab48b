#include "core/Error.h"
#include "core/array/Npy.h"
#include "core/image/PreparedPicture.h"
#include "tests/core/ErrorMessage.h"
#include "tests/core/image/Fixtures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace softscope::test {
namespace {

using Extent = InputTransform::Extent;

InputTransform transformOf(int size, double cropFraction) {
  InputTransform transform;
  transform.height = size;
  transform.width = size;
  transform.cropFraction = cropFraction;
  return transform;
}

/// Of one colour, with red rising from left to right and green from top to bottom.
Picture ramp(int width, int height) {
  Picture picture{width, height, {}, "ramp"};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.rgb.push_back(static_cast<std::uint8_t>(x * 255 / width));
      picture.rgb.push_back(static_cast<std::uint8_t>(y * 255 / height));
      picture.rgb.push_back(100);
    }
  }
  return picture;
}

/// Back from a normalised value to its 8-bit level.
double levelOf(const InputTransform& transform, std::size_t channel, float value) {
  return 255.0 * (value * transform.deviation[channel] + transform.mean[channel]);
}

struct Agreement {
  double share = 0;    ///< of the values that are the same 8-bit level
  double largest = 0;  ///< difference, in levels
};

Agreement compare(const InputTensor& input, const FloatArray& golden,
                  const InputTransform& transform) {
  Agreement agreement;
  const std::size_t plane = input.values.size() / 3;
  std::size_t same = 0;
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const double ours = levelOf(transform, i / plane, input.values[i]);
    const double theirs = levelOf(transform, i / plane, golden.values[i]);
    const double difference = std::abs(ours - theirs);
    if (difference < 0.01) ++same;
    agreement.largest = std::max(agreement.largest, difference);
  }
  agreement.share = static_cast<double>(same) / static_cast<double>(input.values.size());
  return agreement;
}

void expectParity(const std::string& picturePath, const FloatArray& expected,
                  const InputTransform& transform, double share = 0.999) {
  const InputTensor input = preparePicture(readPicture(picturePath), transform).input;
  ASSERT_EQ(input.values.size(), expected.values.size());
  ASSERT_EQ(expected.values.size(), static_cast<std::size_t>(3 * input.height * input.width));
  const Agreement agreement = compare(input, expected, transform);
  EXPECT_GE(agreement.share, share);
  EXPECT_LE(agreement.largest, 1.01);
}

TEST(PreparedPicture, ShrinksAsPillowAndTorchvisionDo) {
  expectParity(std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png",
               readNpy(fixture("bicubic_0.9_128.npy")), transformOf(128, 0.9));
}

TEST(PreparedPicture, EnlargesAsPillowAndTorchvisionDo) {
  expectParity(fixture("small.png"), readNpy(fixture("small_bicubic_0.875_224.npy")),
               transformOf(224, 0.875));
}

TEST(PreparedPicture, FilterMatters) {
  InputTransform bilinear = transformOf(224, 0.875);
  bilinear.filter = InputTransform::Filter::Bilinear;
  const FloatArray bicubic = readNpy(fixture("small_bicubic_0.875_224.npy"));
  const InputTensor input = preparePicture(readPicture(fixture("small.png")), bilinear).input;
  EXPECT_LT(compare(input, bicubic, bilinear).share, 0.9);
}

TEST(PreparedPicture, NormalisesWithTheMeanAndDeviationAsked) {
  InputTransform transform = transformOf(1, 1.0);
  transform.extent = Extent::Whole;
  transform.mean = {0.5f, 0.25f, 0.0f};
  transform.deviation = {0.5f, 0.25f, 2.0f};
  const Picture picture{1, 1, {255, 51, 102}, ""};
  EXPECT_THAT(preparePicture(picture, transform).input.values,
              testing::Pointwise(testing::FloatEq(), {1.0f, -0.2f, 0.2f}));
}

void expectRegion(const PictureRegion& region, double x, double y, double width, double height) {
  EXPECT_NEAR(region.x, x, 1e-9);
  EXPECT_NEAR(region.y, y, 1e-9);
  EXPECT_NEAR(region.width, width, 1e-9);
  EXPECT_NEAR(region.height, height, 1e-9);
}

TEST(PreparedPictureRegion, OfALandscapeIsItsMiddle) {
  // 600 x 300 becomes 512 x 256, of which columns 144 to 368 and rows 16 to 240 are kept.
  const PreparedPicture prepared = preparePicture(ramp(600, 300), transformOf(224, 0.875));
  expectRegion(prepared.region, 144 * 600 / 512.0, 16 * 300 / 256.0, 262.5, 262.5);
}

TEST(PreparedPictureRegion, OfAPortraitIsItsMiddle) {
  const PreparedPicture prepared = preparePicture(ramp(300, 600), transformOf(224, 0.875));
  expectRegion(prepared.region, 16 * 300 / 256.0, 144 * 600 / 512.0, 262.5, 262.5);
}

TEST(PreparedPictureRegion, OfAHalfPixelGoesWhereTorchvisionPutsIt) {
  // 103 spare columns: int(round(51.5)) is 52; 101 spare: int(round(50.5)) is 50.
  EXPECT_NEAR(preparePicture(ramp(203, 100), transformOf(100, 1.0)).region.x, 52, 1e-9);
  EXPECT_NEAR(preparePicture(ramp(201, 100), transformOf(100, 1.0)).region.x, 50, 1e-9);
}

TEST(PreparedPictureRegion, IsOfTheResizeThatItsFractionMeans) {
  // 128 / (128 / 186.0) is a little less than 186.
  const PreparedPicture prepared = preparePicture(ramp(372, 186), transformOf(128, 128 / 186.0));
  expectRegion(prepared.region, 122, 29, 128, 128);
}

/// The colours of the ramp say where in the picture a value came from.
TEST(PreparedPictureRegion, IsWhereTheInputCameFrom) {
  for (const auto& [width, height] : {std::pair{640, 256}, std::pair{256, 640}}) {
    const Picture picture = ramp(width, height);
    const InputTransform transform = transformOf(64, 0.8);
    const auto [input, region] = preparePicture(picture, transform);
    const std::size_t plane = 64 * 64;
    for (const int row : {5, 32, 60}) {
      for (const int column : {5, 32, 60}) {
        const std::size_t at = static_cast<std::size_t>(row * 64 + column);
        const double x = region.x + (column + 0.5) / 64 * region.width;
        const double y = region.y + (row + 0.5) / 64 * region.height;
        EXPECT_NEAR(levelOf(transform, 0, input.values[at]), x * 255 / width - 0.5, 1.5);
        EXPECT_NEAR(levelOf(transform, 1, input.values[plane + at]), y * 255 / height - 0.5, 1.5);
      }
    }
  }
}

TEST(PreparedPictureRegion, OfACropThatIsNotSquareHasItsProportions) {
  InputTransform transform = transformOf(96, 0.75);
  transform.width = 192;
  for (const auto& [width, height] : {std::pair{500, 500}, std::pair{900, 200}}) {
    const PreparedPicture prepared = preparePicture(ramp(width, height), transform);
    EXPECT_EQ(prepared.input.width, 192);
    EXPECT_EQ(prepared.input.height, 96);
    EXPECT_NEAR(prepared.region.width / prepared.region.height, 2, 0.02);
    EXPECT_GE(prepared.region.x, 0);
    EXPECT_GE(prepared.region.y, 0);
    EXPECT_LE(prepared.region.x + prepared.region.width, width + 1e-9);
    EXPECT_LE(prepared.region.y + prepared.region.height, height + 1e-9);
  }
}

TEST(PreparedPicture, WholeTakesEverything) {
  InputTransform transform = transformOf(48, 0.875);
  transform.width = 80;
  transform.extent = Extent::Whole;
  const auto [input, region] = preparePicture(ramp(300, 500), transform);
  EXPECT_EQ(input.width, 80);
  EXPECT_EQ(input.height, 48);
  expectRegion(region, 0, 0, 300, 500);
  EXPECT_LT(levelOf(transform, 0, input.values[0]), 5);
  EXPECT_GT(levelOf(transform, 0, input.values[79]), 250);
}

TEST(PreparedPicture, SqueezedCropIsTheMiddleOfTheSqueezedPicture) {
  InputTransform crop = transformOf(40, 40 / 46.0);
  crop.extent = Extent::SqueezedCrop;
  InputTransform whole = transformOf(46, 1);
  whole.extent = Extent::Whole;
  const Picture picture = ramp(300, 500);
  const auto [input, region] = preparePicture(picture, crop);
  ASSERT_EQ(input.width, 40);
  ASSERT_EQ(input.height, 40);
  expectRegion(region, 300 * 3 / 46.0, 500 * 3 / 46.0, 300 * 40 / 46.0, 500 * 40 / 46.0);
  const InputTensor squeezed = preparePicture(picture, whole).input;
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 40; ++column) {
      EXPECT_EQ(input.values[static_cast<std::size_t>(row * 40 + column)],
                squeezed.values[static_cast<std::size_t>((row + 3) * 46 + column + 3)]);
    }
  }
}

TEST(PreparedPicture, FullSizeKeepsEveryPixel) {
  InputTransform transform;
  transform.extent = Extent::FullSize;
  const Picture picture = ramp(70, 30);
  const auto [input, region] = preparePicture(picture, transform);
  ASSERT_EQ(input.width, 70);
  ASSERT_EQ(input.height, 30);
  expectRegion(region, 0, 0, 70, 30);
  for (std::size_t i = 0; i < input.values.size(); ++i) {
    const std::size_t channel = i / 2100;
    ASSERT_NEAR(levelOf(transform, channel, input.values[i]), picture.rgb[i % 2100 * 3 + channel],
                0.01);
  }
}

std::string preparationComplaint(const Picture& picture, const InputTransform& transform) {
  return test::messageOf<InspectionError>([&] { preparePicture(picture, transform); });
}

TEST(PreparedPicture, RefusesSizesThatCannotBeMade) {
  const Picture picture = ramp(40, 30);
  for (const int size : {-1, 0, 8193, std::numeric_limits<int>::max()}) {
    for (const Extent extent : {Extent::CentreCrop, Extent::Whole}) {
      InputTransform transform = transformOf(size, 0.875);
      transform.extent = extent;
      EXPECT_THAT(preparationComplaint(picture, transform), testing::HasSubstr("from 1 to 8192"))
          << size;
    }
  }
  InputTransform full;
  full.extent = Extent::FullSize;
  EXPECT_THAT(preparationComplaint(ramp(8193, 1), full), testing::HasSubstr("8193 x 1"));
  EXPECT_EQ(preparationComplaint(ramp(8192, 1), full), "");
}

TEST(PreparedPicture, RefusesCropFractionsThatCropNothingOut) {
  for (const double fraction : {-1.0, 0.0, 1.01, std::nan("")}) {
    EXPECT_THAT(preparationComplaint(ramp(40, 30), transformOf(32, fraction)),
                testing::HasSubstr("crop fraction"));
  }
}

TEST(PreparedPicture, RefusesALineThatWouldGrowBeyondMemory) {
  EXPECT_THAT(preparationComplaint(ramp(1, 500000), transformOf(224, 0.875)),
              testing::HasSubstr("more than 100 megapixels"));
  InputTransform whole = transformOf(8192, 0.875);
  whole.extent = Extent::Whole;
  EXPECT_THAT(preparationComplaint(ramp(1, 500000), whole),
              testing::HasSubstr("more than 100 megapixels"));
}

TEST(PreparedPicture, RefusesADeviationOfZeroAndNoPicture) {
  InputTransform transform;
  transform.deviation[1] = 0;
  EXPECT_THAT(preparationComplaint(ramp(4, 4), transform), testing::HasSubstr("deviation of 0"));
  EXPECT_THAT(preparationComplaint(Picture{}, InputTransform{}), testing::HasSubstr("no picture"));
}

TEST(PreparedPicture, OneChannelIsGreyAsPillowMakesIt) {
  const Picture picture{4, 1, {255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 100, 50}, "colours"};
  InputTransform transform;
  transform.extent = Extent::Whole;
  transform.height = 1;
  transform.width = 4;
  transform.channels = 1;
  transform.mean = {0, 9, 9};
  transform.deviation = {1, 9, 9};
  const InputTensor input = preparePicture(picture, transform).input;
  EXPECT_EQ(input.channels, 1);
  std::vector<int> levels;
  for (const float value : input.values)
    levels.push_back(static_cast<int>(std::lround(255 * value)));
  // Pillow 11's convert("L").
  EXPECT_THAT(levels, testing::ElementsAre(76, 150, 29, 124));
}

TEST(PreparedPicture, RefusesOtherNumbersOfChannels) {
  InputTransform transform = transformOf(4, 1);
  transform.channels = 2;
  EXPECT_THAT(preparationComplaint(ramp(4, 4), transform), testing::HasSubstr("takes 2 channels"));
}

/// Returns what a network would be given of a picture, [3, height, width].
FloatArray normalised(const Picture& picture, const InputTransform& transform) {
  FloatArray array{{3, picture.height, picture.width}, {}};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = c; i < picture.rgb.size(); i += 3) {
      const float level = static_cast<float>(picture.rgb[i]) / 255;
      array.values.push_back((level - transform.mean[c]) / transform.deviation[c]);
    }
  }
  return array;
}

TEST(PreparedPicture, ABilinearFilterShrinksAndEnlargesAsPillowsDoes) {
  for (const int side : {32, 64}) {
    SCOPED_TRACE(side);
    InputTransform transform = transformOf(side, 0.875);
    transform.filter = InputTransform::Filter::Bilinear;
    const Picture expected = expectedPixels("bilinear_" + std::to_string(side));
    // A few of the thousands of values are halves but for rounding, which either may round up.
    expectParity(fixture("small.png"), normalised(expected, transform), transform, 0.997);
  }
}

/// The numbers of rows that timm 1.0.31's ResizeKeepRatio and torchvision's Resize give a picture
/// of 335 x 500 pixels, seen by where 160 rows of them begin.
TEST(PreparedPicture, TheLongerSideIsRoundedForACropThatIsNotSquare) {
  InputTransform transform = transformOf(160, 0.9);
  const auto rows = [&](int width) {
    transform.width = width;
    const PictureRegion region = preparePicture(ramp(335, 500), transform).region;
    return std::lround(160 * 500 / region.height);
  };
  EXPECT_EQ(rows(256), 424);
  EXPECT_EQ(rows(160), 264);
}

TEST(PreparedPicture, ACropBeginsWhereItsLibraryBeginsIt) {
  // torchvision: int(round(spare / 2)); transformers: int(spare / 2).
  for (const auto& [side, rounded, floored] :
       {std::tuple(33, 0, 0), {34, 1, 1}, {35, 2, 1}, {37, 2, 2}, {39, 4, 3}}) {
    InputTransform transform = transformOf(32, 32.0 / side);
    const auto startOf = [&](InputTransform::CropStart start) {
      transform.cropStart = start;
      return preparePicture(ramp(side, side), transform).region;
    };
    EXPECT_EQ(startOf(InputTransform::CropStart::Rounded).x, rounded) << side;
    EXPECT_EQ(startOf(InputTransform::CropStart::Floored).x, floored) << side;
    EXPECT_EQ(startOf(InputTransform::CropStart::Floored).y, floored) << side;
    transform.extent = Extent::SqueezedCrop;
    EXPECT_EQ(startOf(InputTransform::CropStart::Floored).x, floored) << side;
  }
}

/// The sizes of transformers' get_resize_output_image_size() and
/// get_image_size_for_max_num_patches().
TEST(PreparedPicture, ASizeIsFittedToThePicturesProportions) {
  InputTransform transform = transformOf(32, 1);
  transform.extent = Extent::Fitted;
  const auto sizeOf = [&](int width, int height) {
    const InputTensor input = preparePicture(ramp(width, height), transform).input;
    return std::pair(input.width, input.height);
  };
  transform.fit = {.multiple = 8};
  EXPECT_EQ(sizeOf(97, 75), std::pair(40, 32));
  EXPECT_EQ(sizeOf(75, 97), std::pair(32, 40));
  transform.fit = {.multiple = 8, .mostPatches = 64};
  EXPECT_EQ(sizeOf(120, 80), std::pair(72, 48));
  EXPECT_EQ(sizeOf(50, 50), std::pair(64, 64));
  transform.fit = {.multiple = 14};
  EXPECT_THROW(sizeOf(400, 2), InspectionError) << "no multiple of 14 above 0 is that narrow";
}

TEST(ResizedInput, StaysAsItIsAtItsOwnSizeAndRoundsNothingAtOthers) {
  InputTensor input{8, 8, {}, 2};
  for (int i = 0; i < 2 * 8 * 8; ++i) input.values.push_back(0.01f * static_cast<float>(i) - 9);
  const InputTransform transform = transformOf(8, 0.875);
  EXPECT_EQ(resizedInput(input, 8, transform).values, input.values);
  const InputTensor plain =
      resizedInput({8, 12, std::vector<float>(96 * 2, -9.125f), 2}, 16, transform);
  EXPECT_EQ(plain.width, 16);
  EXPECT_EQ(plain.height, 16);
  ASSERT_EQ(plain.values.size(), 2u * 16 * 16);
  for (const float value : plain.values) EXPECT_NEAR(value, -9.125f, 1e-5);
}

TEST(ResizedInput, TakesTheCentreOfEachChannel) {
  InputTensor wide{2, 4, {}, 2};
  for (int i = 0; i < 16; ++i) wide.values.push_back(static_cast<float>(i));
  const InputTensor centre = resizedInput(wide, 2, transformOf(2, 0.875));
  EXPECT_THAT(centre.values, testing::ElementsAre(1, 2, 5, 6, 9, 10, 13, 14));
}

}  // namespace
}  // namespace softscope::test
