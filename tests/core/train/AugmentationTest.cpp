#include "core/train/Augmentation.h"
#include "tests/core/train/TinyDataSet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace softscope::test {
namespace {

std::vector<float> augmented(const Picture& picture, const AugmentationOptions& options,
                             std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> planes(static_cast<std::size_t>(3 * options.height * options.width));
  augment(picture, options, random, planes.data());
  return planes;
}

/// Levels 0 ... 255 stay levels: no mean, and a deviation of one level.
AugmentationOptions inLevels(int size) {
  return {.height = size,
          .width = size,
          .jitter = 0,
          .mean = {0, 0, 0},
          .deviation = {1 / 255.0f, 1 / 255.0f, 1 / 255.0f}};
}

TEST(Augmentation, IsTheSameForTheSameStreamAndOnlyForIt) {
  const Picture picture = noisyPicture(60, 50, 1, 128, 128, 128);
  const AugmentationOptions options{.height = 32, .width = 32};
  EXPECT_EQ(augmented(picture, options, 1), augmented(picture, options, 1));
  EXPECT_NE(augmented(picture, options, 1), augmented(picture, options, 2));
}

TEST(Augmentation, StaysInTheRangeOfNormalisedLevels) {
  const Picture picture = noisyPicture(60, 50, 1, 250, 5, 128);
  const AugmentationOptions options{.height = 16, .width = 16, .jitter = 0.9};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> planes = augmented(picture, options, seed);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      const std::size_t c = i / 256;
      EXPECT_GE(planes[i], (0 - options.mean[c]) / options.deviation[c] - 1e-5f);
      EXPECT_LE(planes[i], (1 - options.mean[c]) / options.deviation[c] + 1e-5f);
    }
  }
}

TEST(Augmentation, FlipsHalfOfThePictures) {
  // Padded crops without padding to spare are the picture itself.
  Picture picture{4, 4, {}, "ramp"};
  for (int i = 0; i < 16; ++i) picture.rgb.insert(picture.rgb.end(), 3, std::uint8_t(10 * (i % 4)));
  AugmentationOptions options = inLevels(4);
  options.padding = 1;
  int flips = 0;
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const std::vector<float> planes = augmented(picture, options, seed);
    const std::vector<float> row(planes.begin() + 4, planes.begin() + 8);
    if (row[1] > row[2] && row[2] > 0) ++flips;
    if (row[1] < row[2]) ++kept;
  }
  EXPECT_GT(flips, 60);
  EXPECT_GT(kept, 60);
  options.flip = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<float> planes = augmented(picture, options, seed);
    EXPECT_LE(planes[5], planes[6]);
  }
}

TEST(Augmentation, PaddedCropsAreThePictureMovedOverBlack) {
  const Picture picture = noisyPicture(6, 6, 3, 128, 128, 128);
  AugmentationOptions options = inLevels(6);
  options.padding = 2;
  options.flip = false;
  std::set<std::pair<int, int>> moves;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::vector<float> planes = augmented(picture, options, seed);
    int matches = 0;
    for (int dy = -2; dy <= 2; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        bool same = true;
        for (int y = 0; y < 6 && same; ++y) {
          for (int x = 0; x < 6 && same; ++x) {
            const int fromY = y + dy;
            const int fromX = x + dx;
            const bool inside = fromY >= 0 && fromY < 6 && fromX >= 0 && fromX < 6;
            const auto index = static_cast<std::size_t>(3 * (fromY * 6 + fromX));
            const float expected = inside ? picture.rgb[index] : 0;
            same = std::abs(planes[static_cast<std::size_t>(y * 6 + x)] - expected) < 0.01f;
          }
        }
        if (same) {
          ++matches;
          moves.insert({dy, dx});
        }
      }
    }
    EXPECT_EQ(matches, 1);
  }
  EXPECT_EQ(moves.size(), 25u) << "every move is drawn";
}

TEST(Augmentation, ResizedCropsKeepAPlainColour) {
  Picture picture{40, 30, {}, "plain"};
  for (int i = 0; i < 1200; ++i) picture.rgb.insert(picture.rgb.end(), {200, 100, 50});
  const std::vector<float> planes = augmented(picture, inLevels(16), 9);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_NEAR(planes[i], 200, 0.01);
    EXPECT_NEAR(planes[256 + i], 100, 0.01);
    EXPECT_NEAR(planes[512 + i], 50, 0.01);
  }
}

TEST(Augmentation, JitterOfAGreyPictureChangesItsBrightnessWithinTheLimits) {
  Picture picture{8, 8, std::vector<std::uint8_t>(192, 100), "grey"};
  AugmentationOptions options = inLevels(8);
  options.jitter = 0.3;
  float least = 255;
  float most = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<float> planes = augmented(picture, options, seed);
    EXPECT_NEAR(planes[0], planes[64], 0.01) << "grey stays grey";
    least = std::min(least, planes[0]);
    most = std::max(most, planes[0]);
  }
  EXPECT_GE(least, 69.9f);
  EXPECT_LT(least, 75);
  EXPECT_LE(most, 130.1f);
  EXPECT_GT(most, 125);
}

}  // namespace
}  // namespace softscope::test
