#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/StencilMap.h"
#include "core/attention/SumMap.h"
#include "core/interactive/InteractiveMap.h"
#include "tests/core/SyntheticAttention.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace softscope {
namespace {

double worstError(const MatrixStack& stack, StoredPrecision precision) {
  const StoredStack stored = storedStack(stack, precision);
  double worst = 0;
  for (int i = 0; i < stack.count(); ++i) {
    const Eigen::ArrayXXd own = stack[i].cast<double>().array();
    const Eigen::ArrayXXd apart = (own - stored.rounded[i].cast<double>().array()).abs();
    worst = std::max(worst, (apart / own.abs()).maxCoeff());
  }
  return worst;
}

TEST(StoredNumbersTest, OneHalfKeepsElevenBitsAndTwoKeepTwentyTwo) {
  for (const float scale : {1e-20f, 1.0f, 3e7f}) {
    const Matrix values = scale * (Matrix::Random(20, 30).array().abs() + 0.1f).matrix();
    const MatrixStack stack(std::vector<Matrix>{values, 2 * values});
    EXPECT_LE(worstError(stack, StoredPrecision::Half), std::pow(2.0, -11));
    EXPECT_GT(worstError(stack, StoredPrecision::Half), std::pow(2.0, -13));
    EXPECT_LE(worstError(stack, StoredPrecision::TwoHalves), std::pow(2.0, -22));
  }
}

TEST(StoredNumbersTest, WhatIsNotFiniteStays) {
  Matrix values(1, 4);
  values << 1, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
      std::numeric_limits<float>::quiet_NaN();
  for (const auto precision : {StoredPrecision::Half, StoredPrecision::TwoHalves}) {
    const MatrixStack rounded = storedStack(MatrixStack({values}), precision).rounded;
    EXPECT_EQ(rounded[0](0, 0), 1);
    EXPECT_EQ(rounded[0](0, 1), values(0, 1));
    EXPECT_EQ(rounded[0](0, 2), values(0, 2));
    EXPECT_TRUE(std::isnan(rounded[0](0, 3)));
  }
}

TEST(StoredNumbersTest, TextIsAsLongAsWasSaid) {
  const MatrixStack stack({Matrix::Random(30, 20)});
  for (const auto precision : {StoredPrecision::Half, StoredPrecision::TwoHalves}) {
    const auto json = storedStack(stack, precision).json;
    EXPECT_NEAR(static_cast<double>(json.dump().size()),
                static_cast<double>(storedBytes(600, precision)), 120);
    EXPECT_EQ(json.contains("low"), precision == StoredPrecision::TwoHalves);
  }
}

}  // namespace

namespace {

MatrixStack randomPage(int count, int rows, int columns, float scale = 1) {
  std::vector<Matrix> matrices;
  for (int i = 0; i < count; ++i) matrices.push_back(scale * Matrix::Random(rows, columns));
  return MatrixStack(matrices);
}

TEST(InteractiveMapTest, FactorsAreStoredRatherThanEntries) {
  const FactoredMap map({.mechanism = "test"}, randomPage(2, 200, 8), randomPage(2, 8, 8),
                        randomPage(2, 150, 8));
  const auto stored = compactMap(map);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->json["kind"], "factored");
  EXPECT_EQ(stored->json["middle"]["shape"], (nlohmann::json{2, 8, 8}));
  EXPECT_LE(stored->error, pagePrecision);
  EXPECT_EQ(stored->rows, 200);
  EXPECT_LT(stored->lowest, 0);
  EXPECT_EQ(stored->bytes, stored->json.dump().size());
}

TEST(InteractiveMapTest, SharedFactorsAreStoredOnce) {
  const MatrixStack left = randomPage(1, 300, 8);
  const FactoredMap map({.mechanism = "test"}, left, {}, left);
  EXPECT_FALSE(compactMap(map)->json.contains("right"));
}

TEST(InteractiveMapTest, EntriesAreStoredIfTheyAreFewer) {
  const FactoredMap map({.mechanism = "test"}, randomPage(2, 10, 60), {}, randomPage(2, 12, 60));
  const auto stored = compactMap(map);
  EXPECT_EQ(stored->json["kind"], "dense");
  EXPECT_LE(stored->error, pagePrecision / 2);
}

TEST(InteractiveMapTest, SharpSoftmaxTakesTwoHalvesEach) {
  const KernelMap flat({.mechanism = "softmax"}, KernelMap::Kernel::Softmax, randomPage(1, 400, 16),
                       randomPage(1, 400, 16), 0.25);
  const KernelMap sharp({.mechanism = "softmax"}, KernelMap::Kernel::Softmax,
                        randomPage(1, 400, 16, 12), randomPage(1, 400, 16, 12), 0.25);
  const auto one = compactMap(flat);
  const auto two = compactMap(sharp);
  EXPECT_FALSE(one->json["query"].contains("low"));
  EXPECT_TRUE(two->json["query"].contains("low"));
  for (const auto& stored : {one, two}) {
    EXPECT_LE(stored->error, pagePrecision);
    EXPECT_NEAR(stored->smallestSum, 1, 1e-5);
    EXPECT_NEAR(stored->largestSum, 1, 1e-5);
    EXPECT_EQ(stored->json["logSums"]["shape"], (nlohmann::json{1, 1, 400}));
  }
}

TEST(InteractiveMapTest, LittleRoomTakesOneHalfEach) {
  const KernelMap sharp({.mechanism = "softmax"}, KernelMap::Kernel::Softmax,
                        randomPage(1, 400, 16, 4), randomPage(1, 400, 16, 4), 0.25);
  const auto well = compactMap(sharp);
  const auto little = compactMap(sharp, {}, coarsePagePrecision);
  EXPECT_TRUE(well->json["query"].contains("low"));
  EXPECT_FALSE(little->json["query"].contains("low"));
  EXPECT_GT(little->error, pagePrecision);
  EXPECT_LE(little->error, coarsePagePrecision);
}

/// Cancels so that no rounded factors give its entries.
TEST(InteractiveMapTest, WhatRoundingSpoilsIsNotStoredAsFactors) {
  Matrix left = Matrix::Random(400, 4);
  Matrix right = Matrix::Random(400, 4);
  left.col(1) = left.col(0);
  right.col(0) *= 1e7f;
  right.col(1) = -right.col(0);
  right.col(1) += 1e3f * Matrix::Random(400, 1);
  const FactoredMap map({.mechanism = "test"}, MatrixStack({left}), {}, MatrixStack({right}));
  EXPECT_FALSE(compactMap(map));
}

TEST(InteractiveMapTest, AConvolutionAndASumAreStoredAsTheyAre) {
  AttentionDescription description{.mechanism = "soft"};
  description.queryGrid = TokenGrid{20, 20};
  const auto filters = std::make_shared<StencilMap>(description, randomPage(2, 5, 5));
  const auto factors = std::make_shared<FactoredMap>(description, randomPage(2, 400, 6),
                                                     MatrixStack(), randomPage(2, 400, 6));
  EXPECT_EQ(compactMap(*filters)->json["kind"], "stencil");
  const auto sum = compactMap(SumMap(factors, filters));
  EXPECT_EQ(sum->json["kind"], "sum");
  EXPECT_EQ(sum->json["terms"][0]["kind"], "factored");
  EXPECT_EQ(sum->json["terms"][1]["kind"], "stencil");
}

TEST(InteractiveMapTest, OtherMapsHaveNoShortForm) {
  const auto map = test::syntheticMap(test::gridAttention(2, 6, 7));
  EXPECT_FALSE(compactMap(*map));
  const InteractiveMap dense = denseMap(*map).value();
  EXPECT_EQ(dense.json["kind"], "dense");
  EXPECT_NEAR(static_cast<double>(dense.bytes), static_cast<double>(denseBytes(map->description())),
              120);
}

TEST(InteractiveMapTest, StoringCanBeCancelled) {
  Progress progress;
  progress.cancel();
  EXPECT_THROW(denseMap(*test::syntheticMap(test::gridAttention(1, 6, 7)), progress), Cancelled);
}

/// Two heads of 12 x 12 entries, the second so much smaller than the first.
DenseMap headsApart(float factor) {
  const Matrix shares = Matrix::Constant(12, 12, 1 / 12.0f) + 0.01f * Matrix::Random(12, 12);
  return DenseMap({.mechanism = "test"}, MatrixStack(std::vector<Matrix>{shares, factor * shares}));
}

TEST(InteractiveMapTest, EntriesOfUnlikeSizesTakeTwoHalvesEach) {
  const DenseMap map = headsApart(1e-10f);
  for (const auto& stored : {compactMap(map), denseMap(map)}) {
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->json["values"].contains("low"));
    EXPECT_LE(stored->error, pagePrecision);
  }
  EXPECT_FALSE(denseMap(map, {}, pagePrecision, denseBytes(map.description())))
      << "without room for a second one";
  EXPECT_FALSE(denseMap(headsApart(1), {}, pagePrecision, 0)->json["values"].contains("low"));
}

TEST(InteractiveMapTest, EntriesThatTwoHalvesCannotHoldAreNotStored) {
  const DenseMap map = headsApart(1e-20f);
  EXPECT_FALSE(compactMap(map));
  EXPECT_FALSE(denseMap(map));
}

TEST(InteractiveMapTest, RowsThatAreNotFiniteAreCounted) {
  Matrix shares = Matrix::Constant(4, 4, 0.25f);
  shares(1, 2) = std::numeric_limits<float>::quiet_NaN();
  shares(3, 0) = std::numeric_limits<float>::infinity();
  const DenseMap map({.mechanism = "test"}, MatrixStack(std::vector<Matrix>{shares}));
  const auto stored = compactMap(map);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->rowsNotFinite, 2);
  EXPECT_EQ(stored->smallestSum, 1);
  EXPECT_EQ(stored->largestSum, 1);
  EXPECT_EQ(stored->error, 0);
}

}  // namespace
}  // namespace softscope
