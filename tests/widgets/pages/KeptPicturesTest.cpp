#include "core/Error.h"
#include "core/image/PictureReading.h"
#include "core/inspect/TokenInspection.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/KeptPictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;

TEST(KeptPicturesTest, AFaultOfTheDeviceIsNoneOfThePicture) {
  const KeptSubject subject{{{test::writeTestPicture(64, 64, "kept.png"), {}}},
                            {test::syntheticModel({})},
                            {InputSize()}};
  Engine engine = test::syntheticEngine();
  engine.inspectTokens = [](const Model&, const InputTensor&,
                            const Progress&) -> std::shared_ptr<const TokenInspection> {
    throw ComputeError("CUDA error");
  };
  EXPECT_THROW(keptRuns(subject, engine)(Progress()), ComputeError);
  engine.inspectTokens = [](const Model&, const InputTensor&,
                            const Progress&) -> std::shared_ptr<const TokenInspection> {
    throw InspectionError("its size does not fit");
  };
  EXPECT_EQ(keptRuns(subject, engine)(Progress()).obstacle, "its size does not fit");
}

TEST(KeptPicturesTest, WithoutAReadingOneIsReadAsThePresentOneIs) {
  TokenSettings settings;
  settings.kept = {"/a.png", "/b.png"};
  settings.keptReadings = {{.page = 3}};
  const PictureReading present{.page = 2};
  EXPECT_THAT(keptPictures(settings, present),
              ElementsAre(KeptPicture{"/a.png", {.page = 3}}, KeptPicture{"/b.png", present}));
}

TEST(KeptPicturesTest, ThePresentOneIsNotAmongTheOthers) {
  TokenSettings settings;
  settings.kept = {"/scan.tif", "/scan.tif", "/b.png"};
  settings.keptReadings = {{.page = 1}, {.page = 2}, {.page = 1}};
  Picture present;
  present.path = "/scan.tif";
  present.source.reading.page = 2;
  EXPECT_THAT(otherPictures(settings, present), ElementsAre(KeptPicture{"/scan.tif", {.page = 1}},
                                                            KeptPicture{"/b.png", {.page = 1}}));
}

TEST(KeptPicturesTest, AnOrientationThatChangesNothingMakesNoOtherPicture) {
  PictureSource source;
  EXPECT_TRUE(areReadAlike({.orientation = ExifOrientation::Ignore}, source));
  source.isUpright = false;
  EXPECT_FALSE(areReadAlike({.orientation = ExifOrientation::Ignore}, source));
}

TEST(KeptPicturesTest, PagesOfOneFileAreNamedApart) {
  EXPECT_THAT(namesOfPictures({{"/a/scan.tif", {.page = 1}}, {"/a/scan.tif", {.page = 2}}}),
              ElementsAre("scan, page 1", "scan, page 2"));
  EXPECT_THAT(namesOfPictures({{"/a/scan.tif", {.page = 2}}, {"/a/cat.png", {}}}),
              ElementsAre("scan", "cat"));
}

}  // namespace
}  // namespace softscope
