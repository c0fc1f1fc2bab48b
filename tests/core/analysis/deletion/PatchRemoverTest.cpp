#include "core/analysis/deletion/PatchRemover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace softscope {
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
