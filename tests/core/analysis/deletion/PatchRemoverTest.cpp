#include "core/analysis/deletion/PatchRemover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace softscope {
namespace {

constexpr int imputedHeight = 9;
constexpr int imputedWidth = 11;

InputTensor pictureOf(float (*value)(int channel, int row, int column)) {
  InputTensor input{imputedHeight, imputedWidth, {}};
  for (int channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < imputedHeight; ++row) {
      for (int column = 0; column < imputedWidth; ++column) {
        input.values.push_back(value(channel, row, column));
      }
    }
  }
  return input;
}

std::vector<bool> withoutRectangle(int top, int left, int bottom, int right) {
  std::vector<bool> kept;
  for (int row = 0; row < imputedHeight; ++row) {
    for (int column = 0; column < imputedWidth; ++column) {
      kept.push_back(row < top || row > bottom || column < left || column > right);
    }
  }
  return kept;
}

std::size_t placeOf(int channel, int row, int column) {
  return static_cast<std::size_t>((channel * imputedHeight + row) * imputedWidth + column);
}

// The weights are symmetric, so that a slope is its own mean.
TEST(LinearImputation, ContinuesASlope) {
  const InputTensor slope = pictureOf([](int channel, int row, int column) {
    return static_cast<float>(channel + 2 * row - 3 * column);
  });
  const InputTensor imputed = linearlyImputed(slope, withoutRectangle(2, 3, 6, 8));
  for (std::size_t i = 0; i < slope.values.size(); ++i) {
    EXPECT_NEAR(imputed.values[i], slope.values[i], 1e-4) << i;
  }
}

TEST(LinearImputation, EveryImputedPixelIsTheWeightedMeanOfItsNeighbours) {
  const InputTensor input = pictureOf([](int channel, int row, int column) {
    return std::sin(static_cast<float>(1 + 31 * channel + 7 * row * row + column * column));
  });
  // The corner of the picture has three neighbours.
  const std::vector<bool> kept = withoutRectangle(0, 0, 4, 5);
  const InputTensor imputed = linearlyImputed(input, kept);
  for (int row = 0; row < imputedHeight; ++row) {
    for (int column = 0; column < imputedWidth; ++column) {
      const std::size_t place = placeOf(1, row, column);
      if (kept[placeOf(0, row, column)]) {
        EXPECT_EQ(imputed.values[place], input.values[place]);
        continue;
      }
      double sum = 0;
      double weights = 0;
      for (int down = -1; down <= 1; ++down) {
        for (int right = -1; right <= 1; ++right) {
          if (down == 0 && right == 0) continue;
          if (row + down < 0 || column + right < 0) continue;
          const double weight = down == 0 || right == 0 ? 1.0 / 6 : 1.0 / 12;
          sum +=
              weight * static_cast<double>(imputed.values[placeOf(1, row + down, column + right)]);
          weights += weight;
        }
      }
      EXPECT_NEAR(imputed.values[place], sum / weights, 1e-6);
    }
  }
}

TEST(LinearImputation, NoPixelLeavesTheMeanColour) {
  const InputTensor ones = pictureOf([](int, int, int) { return 1.0f; });
  EXPECT_THAT(linearlyImputed(ones, std::vector<bool>(99, false)).values, ::testing::Each(0));
  EXPECT_EQ(linearlyImputed(ones, std::vector<bool>(99, true)).values, ones.values);
}

TEST(LinearImputation, RemovedPatchesHaveNoiseThatIsTheSameEveryTime) {
  const InputTensor ones = pictureOf([](int, int, int) { return 1.0f; });
  const PatchRemover remover(ones, {3, 1}, PatchRemoval::Imputation);
  const InputTensor seen = remover.with({true, false, true});
  EXPECT_EQ(seen.values, remover.with({true, false, true}).values);
  EXPECT_EQ(seen.values[placeOf(0, 0, 0)], 1);
  EXPECT_NE(seen.values[placeOf(0, 4, 5)], 1);
  const std::vector<float> noise = imputationNoise(10000, 2);
  double sum = 0;
  double squares = 0;
  for (const float value : noise) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.08);
  EXPECT_NEAR(squares / 10000, 4, 0.2);
}

}  // namespace

namespace {

/// Every value is different.
InputTensor numbered(int height, int width) {
  InputTensor input{height, width, {}};
  for (int i = 0; i < 3 * height * width; ++i) {
    input.values.push_back(std::sin(static_cast<float>(i)));
  }
  return input;
}

float valueAt(const InputTensor& input, int channel, int row, int column) {
  return input
      .values[static_cast<std::size_t>((channel * input.height + row) * input.width + column)];
}

TEST(PatchRemover, PutsTheMeanColourInPlaceOfPatches) {
  const InputTensor input = numbered(4, 6);
  const PatchRemover remover(input, {2, 3}, PatchRemoval::MeanColor);
  const InputTensor seen = remover.with({true, true, false, true, true, true});
  for (int channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 6; ++column) {
        const bool removed = row < 2 && column >= 4;
        EXPECT_EQ(valueAt(seen, channel, row, column),
                  removed ? 0 : valueAt(input, channel, row, column));
      }
    }
  }
  EXPECT_EQ(remover.with(std::vector<bool>(6, true)).values, input.values);
  EXPECT_THAT(remover.with(std::vector<bool>(6, false)).values, ::testing::Each(0));
}

TEST(PatchRemover, PatchesThatDoNotDivideTheSidesCoverAllPixels) {
  const InputTensor input = numbered(7, 5);
  const PatchRemover remover(input, {3, 2}, PatchRemoval::MeanColor);
  std::vector<float> sum(input.values.size());
  for (std::size_t patch = 0; patch < 6; ++patch) {
    std::vector<bool> kept(6, false);
    kept[patch] = true;
    const InputTensor seen = remover.with(kept);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += seen.values[i];
  }
  EXPECT_EQ(sum, input.values) << "each belongs to one patch";
}

TEST(PatchRemover, GridsHaveThePatchesThatFitBest) {
  EXPECT_EQ(patchGrid(160, 160, 16), (TokenGrid{10, 10}));
  EXPECT_EQ(patchGrid(224, 320, 16), (TokenGrid{14, 20}));
  EXPECT_EQ(patchGrid(30, 100, 16), (TokenGrid{2, 6}));
  EXPECT_EQ(patchGrid(8, 8, 16), (TokenGrid{1, 1}));
}

/// Every pixel from all that are in reach, in two dimensions and in float64.
TEST(Blur, IsAGaussian) {
  const InputTensor input = numbered(9, 11);
  constexpr double deviation = 1.7;
  const int reach = static_cast<int>(std::ceil(3 * deviation));
  const InputTensor seen = blurred(input, deviation);
  for (int channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < 9; ++row) {
      for (int column = 0; column < 11; ++column) {
        double sum = 0;
        double weights = 0;
        for (int r = 0; r < 9; ++r) {
          for (int c = 0; c < 11; ++c) {
            if (std::abs(r - row) > reach || std::abs(c - column) > reach) continue;
            const double weight = std::exp(-((r - row) * (r - row) + (c - column) * (c - column)) /
                                           (2 * deviation * deviation));
            sum += weight * valueAt(input, channel, r, c);
            weights += weight;
          }
        }
        EXPECT_NEAR(valueAt(seen, channel, row, column), sum / weights, 1e-6);
      }
    }
  }
}

TEST(Blur, LeavesWhatIsAlikeAsItIs) {
  const InputTensor even{6, 5, std::vector<float>(90, 0.75f)};
  EXPECT_THAT(blurred(even, 4).values, ::testing::Each(::testing::FloatEq(0.75f)));
}

TEST(PatchRemover, PutsTheBlurredPictureInPlaceOfPatches) {
  const InputTensor input = numbered(8, 12);
  const PatchRemover remover(input, {2, 2}, PatchRemoval::Blur);
  EXPECT_EQ(remover.with(std::vector<bool>(4, false)).values, blurred(input, 6).values);
  EXPECT_EQ(remover.with(std::vector<bool>(4, true)).values, input.values);
}

}  // namespace
}  // namespace softscope
