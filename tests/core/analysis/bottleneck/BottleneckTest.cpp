#include "core/Error.h"
#include "core/analysis/bottleneck/BottleneckMatrix.h"
#include "core/analysis/bottleneck/Landmarks.h"
#include "core/attention/FactoredMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

std::vector<double> magnitudes(const std::vector<std::complex<double>>& values) {
  std::vector<double> result;
  for (const auto& value : values) result.push_back(std::abs(value));
  return result;
}

TEST(BottleneckEigenvalues, AreThoseOfTheKernelAndOfTheKernelByItsRowSums) {
  const Matrix tokens = randomMatrix(12, 3, 1);
  const Matrix any = randomMatrix(12, 12, 2).cwiseAbs();
  for (const Matrix& kernel : {Matrix((tokens * tokens.transpose()).array().exp()), any}) {
    const Eigen::MatrixXd exact = kernel.cast<double>();
    const Eigen::VectorXd rowSums = exact.rowwise().sum();
    const BottleneckEigenvalues eigenvalues = bottleneckEigenvalues(kernel);
    EXPECT_LT(test::spectrumDifference(magnitudes(eigenvalues.ofKernel),
                                       test::denseEigenvalueMagnitudes(exact)),
              1e-7);
    EXPECT_LT(test::spectrumDifference(
                  magnitudes(eigenvalues.ofNormalised),
                  test::denseEigenvalueMagnitudes(rowSums.cwiseInverse().asDiagonal() * exact)),
              1e-7);
    EXPECT_NEAR(std::abs(eigenvalues.ofNormalised.front() - 1.0), 0, 1e-12);
  }
}

TEST(BottleneckEigenvalues, CountTheConnectedParts) {
  // Three groups of landmarks that hardly touch.
  Matrix kernel = Matrix::Constant(9, 9, 1e-4f);
  kernel.block(0, 0, 2, 2).setConstant(0.9f);
  kernel.block(2, 2, 3, 3).setConstant(0.9f);
  kernel.block(5, 5, 4, 4).setConstant(0.9f);
  kernel.diagonal().setOnes();
  EXPECT_EQ(countNearOne(bottleneckEigenvalues(kernel).ofNormalised), 3);
  EXPECT_EQ(countNearOne(bottleneckEigenvalues(kernel).ofNormalised, 1e-9), 1);
}

TEST(BottleneckEigenvalues, RefuseWhatHasNone) {
  EXPECT_THROW(bottleneckEigenvalues(Matrix::Zero(3, 3)), InspectionError);
  Matrix broken = Matrix::Ones(3, 3);
  broken(1, 2) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(bottleneckEigenvalues(broken), InspectionError);
}

/// A layer of one head whose queries and landmarks are given, with the mechanism's name.
LayerInspection throughLandmarks(const Matrix& queries, const Matrix& landmarks,
                                 const std::string& mechanism) {
  Matrix kernel(queries.rows(), landmarks.rows());
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const auto differences = landmarks.rowwise() - queries.row(i);
    kernel.row(i) = (-0.5F * differences.rowwise().squaredNorm()).array().exp();
  }
  const MatrixStack left({kernel});
  const auto count = static_cast<int>(landmarks.rows());
  LayerInspection layer;
  layer.attention = std::make_shared<FactoredMap>(AttentionDescription{.mechanism = mechanism},
                                                  left, randomStack(1, count, count, 9), left);
  return layer;
}

TEST(LandmarkDistance, IsTheMedianOfAllPairsAndCountsNearOnes) {
  const Matrix queries = randomMatrix(40, 5, 3);
  const Matrix landmarks = 2 * randomMatrix(7, 5, 4);
  std::vector<double> distances;
  int near = 0;
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    for (Eigen::Index j = 0; j < landmarks.rows(); ++j) {
      const Vector difference = queries.row(i) - landmarks.row(j);
      distances.push_back(difference.cast<double>().squaredNorm());
      near += std::exp(-distances.back() / 2) > 0.01;
    }
  }
  std::sort(distances.begin(), distances.end());
  const LayerInspection layer = throughLandmarks(queries, landmarks, "soft++");
  const auto found = landmarkDistance(layer, 0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->median, (distances[139] + distances[140]) / 2, 1e-4);
  EXPECT_GT(near, 20);
  EXPECT_LT(near, 260);
  EXPECT_DOUBLE_EQ(found->nearShare, near / 280.0);
  Eigen::VectorXd sums = test::wholeMatrix(*layer.attention, 0).rowwise().sum();
  std::sort(sums.begin(), sums.end());
  EXPECT_NEAR(found->rowSum, (sums[19] + sums[20]) / 2, 1e-5 * std::abs(sums[20]) + 1e-6);
}

TEST(LandmarkDistance, IsThereForAGaussianKernelAlone) {
  const Matrix tokens = randomMatrix(9, 3, 5);
  EXPECT_TRUE(landmarkDistance(throughLandmarks(tokens, tokens, "soft"), 0));
  EXPECT_FALSE(landmarkDistance(throughLandmarks(tokens, tokens, "nystromformer"), 0));
  // So far that float32 has zeros in the kernel.
  const Matrix far = tokens.array() + 100;
  EXPECT_FALSE(landmarkDistance(throughLandmarks(tokens, far, "soft"), 0));
  LayerInspection named;
  named.attention = std::make_shared<FactoredMap>(AttentionDescription{.mechanism = "soft"},
                                                  randomStack(1, 9, 4, 1), randomStack(1, 4, 4, 2),
                                                  randomStack(1, 9, 4, 3));
  EXPECT_FALSE(landmarkDistance(named, 0)) << "a recording's own factors are no kernel";
  EXPECT_THROW(landmarkDistance(throughLandmarks(tokens, tokens, "soft"), 1), InspectionError);
}

TEST(Landmarks, AreWindowsWhereTheyLieOnAGrid) {
  // r = 4 on 8 x 13 patches: the last column is in no window.
  const auto places = landmarkPlaces({.queryGrid = TokenGrid{8, 13},
                                      .landmarks = 6,
                                      .landmarkGrid = TokenGrid{2, 3},
                                      .parameters = {{"ratio", 4}}});
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 6u);
  const LandmarkPlace& place = (*places)[4];
  EXPECT_EQ(place.patches.size(), 16u);
  EXPECT_EQ(place.patches.front(), 4 * 13 + 4);
  EXPECT_EQ(place.patches.back(), 7 * 13 + 7);
  EXPECT_NEAR(place.x, 6.0 / 13, 1e-12);
  EXPECT_NEAR(place.y, 6.0 / 8, 1e-12);
}

TEST(Landmarks, AreOfTheLayersOwnSizeWhereLargerWindowsWouldFit) {
  // r = 8 on 36 x 36 patches makes 4 x 4 landmarks, and so would 9.
  const AttentionDescription description{.queryGrid = TokenGrid{36, 36},
                                         .landmarks = 16,
                                         .landmarkGrid = TokenGrid{4, 4},
                                         .parameters = {{"ratio", 8}}};
  const auto places = landmarkPlaces(description);
  ASSERT_TRUE(places);
  EXPECT_EQ((*places)[5].patches.size(), 64u);
  EXPECT_EQ((*places)[5].patches.front(), 8 * 36 + 8);
  EXPECT_EQ((*places)[15].patches.back(), 31 * 36 + 31);
}

TEST(Landmarks, AreRunsOfTokensWhereTheyDoNot) {
  // 10 tokens for 4 landmarks: 2, 2, 3, 3, as Nystromformer's code has it.
  const auto places = landmarkPlaces({.queryGrid = TokenGrid{2, 5}, .landmarks = 4});
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 4u);
  EXPECT_EQ((*places)[1].patches, (std::vector<int>{2, 3}));
  EXPECT_EQ((*places)[2].patches, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ((*places)[3].patches, (std::vector<int>{7, 8, 9}));
  EXPECT_NEAR((*places)[3].x, 0.7, 1e-12);
  EXPECT_NEAR((*places)[3].y, 0.75, 1e-12);
}

TEST(Landmarks, AreTheChosenTokensWhereTheyWereChosen) {
  const auto places = landmarkPlaces({.queryGrid = TokenGrid{2, 5},
                                      .landmarks = 2,
                                      .landmarkGrid = TokenGrid{1, 2},
                                      .landmarkTokens = {{7}, {3, 4}},
                                      .parameters = {{"ratio", 1}}});
  ASSERT_TRUE(places);
  ASSERT_EQ(places->size(), 2u);
  EXPECT_EQ((*places)[0].patches, std::vector<int>{7});
  EXPECT_NEAR((*places)[0].x, 0.5, 1e-12);
  EXPECT_NEAR((*places)[0].y, 0.75, 1e-12);
  EXPECT_NEAR((*places)[1].x, 0.8, 1e-12);
  EXPECT_NEAR((*places)[1].y, 0.25, 1e-12);
}

TEST(Landmarks, AreFoundByAPlaceOnThePicture) {
  const TokenGrid grid{8, 13};
  const auto places = landmarkPlaces({.queryGrid = grid,
                                      .landmarks = 6,
                                      .landmarkGrid = TokenGrid{2, 3},
                                      .parameters = {{"ratio", 4}}});
  EXPECT_EQ(landmarkAt(*places, grid, 0.01, 0.01), 0);
  EXPECT_EQ(landmarkAt(*places, grid, 4.5 / 13, 0.99), 4);
  EXPECT_EQ(landmarkAt(*places, grid, 1, 0), 2) << "the last column is in no window";
  // Runs are not where their middles are nearest.
  const TokenGrid line{2, 5};
  const auto runs = landmarkPlaces({.queryGrid = line, .landmarks = 4});
  EXPECT_EQ(landmarkAt(*runs, line, 0.9, 0.2), 2);
  EXPECT_EQ(landmarkAt(*runs, line, 0.1, 0.7), 2);
  EXPECT_EQ(landmarkAt({}, line, 0.1, 0.7), -1);
}

TEST(Landmarks, AreNoneForOtherMechanisms) {
  EXPECT_FALSE(landmarkPlaces({.queryGrid = TokenGrid{2, 5}}));
  EXPECT_FALSE(landmarkPlaces({.landmarks = 4}));
}

TEST(Landmarks, HaveColumnsOfTheLeftFactor) {
  const MatrixStack left = randomStack(2, 30, 4, 1);
  const FactoredMap map({.mechanism = "soft", .landmarks = 4}, left, randomStack(2, 4, 4, 2), left);
  EXPECT_EQ(landmarkColumn(map, 1, 2), Vector(left[1].col(2)));
  EXPECT_THROW(landmarkColumn(map, 1, 4), InspectionError);
  EXPECT_THROW(landmarkColumn(map, 2, 0), InspectionError);
  const FactoredMap performer({.mechanism = "performer"}, left, {}, left);
  EXPECT_THROW(landmarkColumn(performer, 0, 0), InspectionError);
}

TEST(Landmarks, HaveTheSameColumnsWhereverTheClassTokenStands) {
  const Matrix left = randomMatrix(13, 4, 5);
  Matrix moved(13, 4);
  moved << left.bottomRows(12), left.row(0);
  const MatrixStack first({left});
  const MatrixStack last({moved});
  const MatrixStack middle = randomStack(1, 4, 4, 6);
  const TokenGrid grid{3, 4};
  const FactoredMap before(
      {.mechanism = "soft", .queryGrid = grid, .prefixTokens = 1, .landmarks = 4}, first, middle,
      first);
  const FactoredMap behind(
      {.mechanism = "soft", .queryGrid = grid, .suffixTokens = 1, .landmarks = 4}, last, middle,
      last);
  EXPECT_EQ(landmarkColumn(before, 0, 2), Vector(left.col(2).tail(12)));
  EXPECT_EQ(landmarkColumn(behind, 0, 2), landmarkColumn(before, 0, 2));
}

}  // namespace
}  // namespace softscope
