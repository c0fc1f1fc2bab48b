#include "core/train/Schedule.h"
#include "core/train/TrainingRecipe.h"

#include <gtest/gtest.h>

#include <cmath>

namespace softscope::test {
namespace {

TEST(Schedule, RisesEvenlyToThePeak) {
  const Schedule schedule{.peak = 1, .floor = 0.1, .warmup = 4, .steps = 100};
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0.5);
  EXPECT_DOUBLE_EQ(schedule.rate(3), 1);
}

TEST(Schedule, FallsAsHalfACosineToTheFloor) {
  const Schedule schedule{.peak = 1, .floor = 0.1, .warmup = 4, .steps = 105};
  EXPECT_DOUBLE_EQ(schedule.rate(4), 1);
  EXPECT_DOUBLE_EQ(schedule.rate(104), 0.1);
  EXPECT_NEAR(schedule.rate(54), 0.55, 1e-12);
  EXPECT_NEAR(schedule.rate(29), 0.1 + 0.45 * (1 + std::sqrt(0.5)), 1e-12);
  for (int step = 5; step < 105; ++step) EXPECT_LT(schedule.rate(step), schedule.rate(step - 1));
}

TEST(Schedule, WithoutWarmupStartsAtThePeak) {
  const Schedule schedule{.peak = 2, .floor = 0, .warmup = 0, .steps = 2};
  EXPECT_DOUBLE_EQ(schedule.rate(0), 2);
  EXPECT_DOUBLE_EQ(schedule.rate(1), 0);
}

TEST(Schedule, FallsInStepsToATenth) {
  const Schedule schedule{.peak = 0.3,
                          .floor = 0.2,
                          .warmup = 2,
                          .steps = 10,
                          .fall = LearningRateFall::Step,
                          .drops = {5, 8}};
  EXPECT_DOUBLE_EQ(schedule.rate(0), 0.15);
  for (const int step : {1, 2, 4}) EXPECT_DOUBLE_EQ(schedule.rate(step), 0.3) << step;
  for (const int step : {5, 6, 7}) EXPECT_DOUBLE_EQ(schedule.rate(step), 0.03) << step;
  for (const int step : {8, 9}) EXPECT_DOUBLE_EQ(schedule.rate(step), 0.003) << step;
}

/// Cho et al.: "Learning rate is initially set to 0.1, and divided by 10 at 81 and 122 epochs.
/// Training is stopped at 164 epochs."
TEST(Schedule, DropsWhereThePaperDoesByDefault) {
  const TrainingRecipe recipe;
  ASSERT_EQ(recipe.drops.size(), 2u);
  EXPECT_EQ(std::llround(recipe.drops[0] * 164 * 391), 81 * 391);
  EXPECT_EQ(std::llround(recipe.drops[1] * 164 * 391), 122 * 391);
}

}  // namespace
}  // namespace softscope::test
