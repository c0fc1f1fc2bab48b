#include "core/train/BatchSource.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace softscope::test {
namespace {

constexpr std::int64_t count = 5;
constexpr std::int64_t classes = 5;
constexpr std::int64_t side = 8;

/// Picture i is i everywhere and of class i, so that a pixel tells where it came from.
struct Numbered {
  std::vector<float> pictures;
  std::vector<float> targets = std::vector<float>(count * classes);

  Numbered() {
    for (int i = 0; i < count; ++i) {
      pictures.insert(pictures.end(), 3 * side * side, static_cast<float>(i));
      targets[static_cast<std::size_t>(i * classes + i)] = 1;
    }
  }
  BatchMemory memory() { return {pictures.data(), targets.data(), count, classes, side, side}; }
  float target(std::int64_t row, std::int64_t column) const {
    return targets[static_cast<std::size_t>(row * classes + column)];
  }
  float mean(std::int64_t picture) const {
    double sum = 0;
    for (std::int64_t i = 0; i < 3 * side * side; ++i) {
      sum += pictures[static_cast<std::size_t>(picture * 3 * side * side + i)];
    }
    return static_cast<float>(sum / (3 * side * side));
  }
};

/// Pictures and targets must agree: a picture's mean is that of the classes in its target.
void expectConsistent(const Numbered& batch) {
  for (std::int64_t row = 0; row < count; ++row) {
    float sum = 0;
    float mean = 0;
    for (std::int64_t column = 0; column < classes; ++column) {
      sum += batch.target(row, column);
      mean += static_cast<float>(column) * batch.target(row, column);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_NEAR(batch.mean(row), mean, 1e-4);
  }
}

TEST(Mixing, MixupBlendsPicturesAndTargetsAlike) {
  Numbered batch;
  RandomStream random(5);
  mixBatch(batch.memory(), {.mixup = 1, .probability = 1}, random);
  expectConsistent(batch);
  EXPECT_GT(batch.target(0, 4), 0);
  EXPECT_FLOAT_EQ(batch.target(0, 4), batch.target(4, 0));
  EXPECT_EQ(batch.pictures[0], batch.pictures[side * side - 1]) << "the whole picture is blended";
}

TEST(Mixing, CutmixExchangesARectangleOfTheShareInTheTargets) {
  bool anyExchanged = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Numbered batch;
    RandomStream random(seed);
    mixBatch(batch.memory(), {.cutmix = 1, .probability = 1}, random);
    expectConsistent(batch);
    for (std::int64_t i = 0; i < side * side; ++i) {
      const float value = batch.pictures[static_cast<std::size_t>(i)];
      EXPECT_TRUE(value == 0 || value == 4);
      anyExchanged = anyExchanged || value == 4;
    }
  }
  EXPECT_TRUE(anyExchanged);
}

TEST(Mixing, WithoutAlphasOrChanceLeavesTheBatch) {
  for (const MixingOptions& options : {MixingOptions{.probability = 1},
                                       MixingOptions{.mixup = 1, .cutmix = 1, .probability = 0}}) {
    Numbered batch;
    RandomStream random(1);
    mixBatch(batch.memory(), options, random);
    EXPECT_EQ(batch.pictures, Numbered().pictures);
    EXPECT_EQ(batch.targets, Numbered().targets);
  }
}

}  // namespace
}  // namespace softscope::test
