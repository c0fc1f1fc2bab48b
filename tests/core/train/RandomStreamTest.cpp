#include "core/train/RandomStream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace softscope::test {
namespace {

TEST(RandomStream, DependsOnSeedAndEveryPartOfTheKey) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed : {0, 1}) {
    for (std::uint64_t epoch : {0, 1}) {
      for (std::uint64_t picture : {0, 1}) {
        first.insert(RandomStream(seed, {epoch, picture}).next());
      }
    }
  }
  EXPECT_EQ(first.size(), 8u);
  EXPECT_EQ(RandomStream(3, {1, 2}).next(), RandomStream(3, {1, 2}).next());
}

TEST(RandomStream, IsUniform) {
  RandomStream random(1);
  std::vector<int> counts(7);
  double sum = 0;
  constexpr int draws = 70000;
  for (int i = 0; i < draws; ++i) {
    ++counts[random.below(7)];
    const double value = random.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  // Five standard errors either way.
  EXPECT_NEAR(sum / draws, 0.5, 5 * std::sqrt(1.0 / 12 / draws));
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * std::sqrt(draws * 6.0 / 49));
}

void expectMomentsOfBeta(double alpha, std::uint64_t seed) {
  RandomStream random(seed);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 40000;
  for (int i = 0; i < draws; ++i) {
    const double value = random.beta(alpha);
    ASSERT_GE(value, 0);
    ASSERT_LE(value, 1);
    sum += value;
    squares += (value - 0.5) * (value - 0.5);
  }
  const double variance = 1 / (4 * (2 * alpha + 1));
  EXPECT_NEAR(sum / draws, 0.5, 5 * std::sqrt(variance / draws)) << alpha;
  EXPECT_NEAR(squares / draws, variance, 0.03 * variance) << alpha;
}

TEST(RandomStream, BetaHasTheMomentsOfBeta) {
  for (const double alpha : {0.2, 1.0, 2.0, 2.5, 8.0, 100.0}) expectMomentsOfBeta(alpha, 2);
}

/// A power of 1 / alpha underflows where alpha is small.
TEST(RandomStream, BetaOfASmallAlphaIsDrawnAtOnceAndHasItsMoments) {
  for (const double alpha : {0.01, 1e-3, 1e-12, 1e-300}) expectMomentsOfBeta(alpha, 4);
}

}  // namespace
}  // namespace softscope::test
