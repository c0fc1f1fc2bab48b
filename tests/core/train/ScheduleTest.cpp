#include "core/train/Schedule.h"

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

}  // namespace
}  // namespace softscope::test
