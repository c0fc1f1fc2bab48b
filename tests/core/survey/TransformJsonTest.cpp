#include "core/survey/TransformJson.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

using Extent = InputTransform::Extent;

InputTransform transformOf(Extent extent, int height, int width) {
  InputTransform transform;
  transform.extent = extent;
  transform.height = height;
  transform.width = width;
  return transform;
}

std::optional<InputSize> sizeReadBack(const InputTransform& transform) {
  return surveyedInput(transformJson(transform)).size;
}

TEST(TransformJson, TheReadingIsReadBack) {
  EXPECT_EQ(surveyedInput(transformJson({})).reading, asPublished);
  PictureReading reading = asPublished;
  reading.range = parseSampleRange("254,3250").value();
  reading.page = 17;
  EXPECT_EQ(surveyedInput(transformJson({}, reading)).reading, reading);
}

TEST(TransformJson, TheSizeIsReadBackIfItCanBeChosen) {
  EXPECT_EQ(sizeReadBack(transformOf(Extent::CentreCrop, 224, 224)), parseInputSize("224"));
  EXPECT_EQ(sizeReadBack(transformOf(Extent::SqueezedCrop, 384, 384)), parseInputSize("384"));
  EXPECT_EQ(sizeReadBack(transformOf(Extent::Whole, 320, 480)), parseInputSize("320x480"));
  EXPECT_EQ(sizeReadBack(transformOf(Extent::FullSize, 7, 7)), parseInputSize("full"));
  EXPECT_EQ(sizeReadBack(transformOf(Extent::CentreCrop, 224, 192)), std::nullopt);
  EXPECT_EQ(sizeReadBack(transformOf(Extent::Recorded, 224, 224)), std::nullopt);
  EXPECT_EQ(sizeReadBack(transformOf(Extent::Whole, 1'000'000, 480)), std::nullopt);
}

TEST(TransformJson, OfOtherTextWhatIsUnderstoodIsTaken) {
  for (const char* text : {"", "[}", "7", "{}", R"({"exif":3,"range":"9,1","page":-4})",
                           R"({"extent":"whole","height":"96","width":96})"}) {
    EXPECT_EQ(surveyedInput(text).reading, asPublished) << text;
    EXPECT_FALSE(surveyedInput(text).size) << text;
  }
  const SurveyedInput input = surveyedInput(R"({"exif":"on","extent":"full"})");
  EXPECT_EQ(input.reading, PictureReading());
  EXPECT_EQ(input.size, parseInputSize("full"));
}

TEST(TransformJson, TheCropIsReadBackWherePicturesAreCropped) {
  InputTransform transform = transformOf(Extent::CentreCrop, 224, 224);
  transform.cropFraction = 0.96;
  EXPECT_EQ(surveyedInput(transformJson(transform)).crop, 0.96);
  transform.extent = Extent::Whole;
  EXPECT_EQ(surveyedInput(transformJson(transform)).crop, std::nullopt);
  for (const char* crop : {"0", "2", "\"1\"", "-1e999"}) {
    const std::string text = R"({"extent":"centre crop","crop":)" + std::string(crop) + "}";
    EXPECT_EQ(surveyedInput(text).crop, std::nullopt) << crop;
  }
}

TEST(TransformJson, WhatChangesThePixelsChangesTheText) {
  InputTransform transform = transformOf(Extent::CentreCrop, 224, 224);
  const std::string rounded = transformJson(transform);
  transform.cropStart = InputTransform::CropStart::Floored;
  EXPECT_NE(transformJson(transform), rounded);
  transform = transformOf(Extent::Fitted, 224, 224);
  const std::string fitted = transformJson(transform);
  transform.fit = {.multiple = 14};
  EXPECT_NE(transformJson(transform), fitted);
  EXPECT_EQ(sizeReadBack(transform), std::nullopt) << "it is another for each picture";
}

}  // namespace
}  // namespace softscope
