#include "core/query/SweepAnalysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> countsOf(const std::vector<LandmarkChoice>& choices) {
  std::vector<int> counts;
  for (const LandmarkChoice& choice : choices) counts.push_back(*choice.count);
  return counts;
}

TEST(SweepAnalysis, LandmarksAreSquaresUpToTheTrainedNumber) {
  EXPECT_THAT(countsOf(sweptLandmarks({}, {}, 49)), ElementsAre(1, 4, 9, 16, 25, 36, 49));
  EXPECT_THAT(countsOf(sweptLandmarks({}, {}, 48)), ElementsAre(1, 4, 9, 16, 25, 36));
  EXPECT_THAT(sweptLandmarks({}, {}, 0), IsEmpty());
}

TEST(SweepAnalysis, LandmarksAreThoseThatWereChosen) {
  const auto pooled = sweptLandmarks({}, {7, 2}, 49);
  EXPECT_THAT(countsOf(pooled), ElementsAre(7, 2));
  EXPECT_EQ(pooled.front().source, LandmarkSource::Pooled);
  LandmarkChoice random;
  random.source = LandmarkSource::Random;
  random.seed = 3;
  const auto drawn = sweptLandmarks(random, {2}, 49);
  EXPECT_EQ(drawn.front().source, LandmarkSource::Random);
  EXPECT_EQ(drawn.front().seed, 3);
}

}  // namespace
}  // namespace softscope
