#include "core/Error.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "core/attention/StencilMap.h"
#include "core/attention/SumMap.h"
#include "core/linalg/IterativeSpectrum.h"
#include "core/linalg/MatrixSpectrum.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <memory>
#include <numeric>

namespace softscope {
namespace {

using test::denseEigenvalueMagnitudes;
using test::denseSingularValues;
using test::randomMatrix;
using test::randomStack;
using test::spectrumDifference;
using test::wholeMatrix;

/// The product of a factored map in float64, which rows in float32 would blur.
Eigen::MatrixXd product(const FactoredMap& map, int head) {
  Eigen::MatrixXd left = map.left()[head].cast<double>();
  if (!map.middle().empty()) left = (left * map.middle()[head].cast<double>()).eval();
  return left * map.right()[head].cast<double>().transpose();
}

struct SpectrumSizes {
  int queries;
  int keys;
  int width;
  bool withMiddle;
};

class FactoredSpectrumTest : public ::testing::TestWithParam<SpectrumSizes> {};

TEST_P(FactoredSpectrumTest, IsThatOfTheWholeMatrix) {
  const auto [queries, keys, width, withMiddle] = GetParam();
  const FactoredMap map({}, randomStack(2, queries, width, 1),
                        withMiddle ? randomStack(2, width, width, 11) : MatrixStack(),
                        randomStack(2, keys, width, 21));
  for (int head = 0; head < 2; ++head) {
    const Eigen::MatrixXd whole = product(map, head);
    const Spectrum spectrum = attentionSpectrum(map, head);
    EXPECT_EQ(spectrum.singularValues.wanted, std::min({queries, keys, width}));
    EXPECT_TRUE(spectrum.singularValues.converged());
    EXPECT_LT(spectrumDifference(spectrum.singularValues.values, denseSingularValues(whole)),
              1e-12);
    ASSERT_EQ(spectrum.eigenvalues.has_value(), queries == keys);
    if (queries != keys) continue;
    EXPECT_EQ(spectrum.eigenvalues->values.size(), std::min(queries, width));
    EXPECT_LT(spectrumDifference(spectrum.eigenvalues->values, denseEigenvalueMagnitudes(whole)),
              1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    SpectrumSizes, FactoredSpectrumTest,
    ::testing::Values(SpectrumSizes{60, 60, 9, true}, SpectrumSizes{60, 60, 9, false},
                      SpectrumSizes{12, 12, 30, true}, SpectrumSizes{12, 12, 30, false},
                      SpectrumSizes{40, 25, 7, true}, SpectrumSizes{8, 33, 20, true},
                      SpectrumSizes{2500, 40, 6, true}));

/// L M L^T with an M of the eigenvalues given, symmetric but for float32's rounding.
FactoredMap symmetricMap(const MatrixStack& left, const Eigen::VectorXd& eigenvalues) {
  const Eigen::MatrixXd any = randomMatrix(left.columns(), left.columns(), 5).cast<double>();
  const Eigen::MatrixXd middle = any * eigenvalues.asDiagonal() * any.transpose();
  return FactoredMap({}, left, MatrixStack({middle.cast<float>()}), left);
}

TEST(SymmetricSpectrum, IsThatOfTheWholeMatrix) {
  Eigen::VectorXd indefinite = Eigen::VectorXd::LinSpaced(20, -3, 40);
  const Eigen::VectorXd definite = indefinite.cwiseAbs();
  for (const int tokens : {300, 20, 11}) {
    const MatrixStack left = randomStack(1, tokens, 20, 3);
    for (const Eigen::VectorXd& eigenvalues : {definite, indefinite}) {
      const FactoredMap map = symmetricMap(left, eigenvalues);
      const Eigen::MatrixXd whole = product(map, 0);
      const Spectrum spectrum = attentionSpectrum(map, 0);
      EXPECT_EQ(spectrum.singularValues.values.size(), std::min(tokens, 20));
      EXPECT_LT(spectrumDifference(spectrum.singularValues.values, denseSingularValues(whole)),
                1e-7);
      EXPECT_LT(spectrumDifference(spectrum.eigenvalues->values,
                                   denseEigenvalueMagnitudes(0.5 * (whole + whole.transpose()))),
                1e-7);
    }
  }
}

TEST(SymmetricSpectrum, HoldsWhereTheMiddleCancelsSmallDirections) {
  // Columns that are alike to 1e-4, and a middle as large as an inverse makes it.
  Matrix left = randomMatrix(400, 12, 7);
  for (int column = 1; column < 12; ++column) {
    left.col(column) = left.col(0) + 1e-4f * left.col(column);
  }
  const Eigen::MatrixXd gram = left.cast<double>().transpose() * left.cast<double>();
  const Matrix middle = test::denseInverse(gram).cast<float>();
  const MatrixStack factor({left});
  const FactoredMap map({}, factor, MatrixStack({middle}), factor);
  const Eigen::MatrixXd whole = product(map, 0);
  const Spectrum spectrum = attentionSpectrum(map, 0);
  EXPECT_LT(spectrumDifference(spectrum.singularValues.values, denseSingularValues(whole)), 1e-5);
}

TEST(SymmetricSpectrum, OfRankDeficientFactorsEndsInZeros) {
  Matrix left = randomMatrix(50, 6, 9);
  left.col(3) = left.col(2);
  left.col(5).setZero();
  const MatrixStack factor({left});
  const FactoredMap map({}, factor, {}, factor);
  const Spectrum spectrum = attentionSpectrum(map, 0);
  EXPECT_LT(
      spectrumDifference(spectrum.singularValues.values, denseSingularValues(product(map, 0))),
      1e-12);
  ASSERT_EQ(spectrum.singularValues.values.size(), 6u);
  EXPECT_LT(spectrum.singularValues.values[4], 1e-12 * spectrum.singularValues.values[0]);
}

TEST(FactoredSpectrum, OfRankDeficientFactorsIsThatOfTheWholeMatrix) {
  Matrix left = randomMatrix(50, 6, 9);
  left.col(3) = left.col(2);
  Matrix right = randomMatrix(50, 6, 10);
  right.col(0).setZero();
  const FactoredMap map({}, MatrixStack({left}), randomStack(1, 6, 6, 12), MatrixStack({right}));
  const Spectrum spectrum = attentionSpectrum(map, 0);
  EXPECT_LT(
      spectrumDifference(spectrum.singularValues.values, denseSingularValues(product(map, 0))),
      1e-12);
  EXPECT_LT(
      spectrumDifference(spectrum.eigenvalues->values, denseEigenvalueMagnitudes(product(map, 0))),
      1e-6);
}

TEST(FactoredSpectrum, Of65536TokensNeedsNoWholeMatrix) {
  // The columns of L and R are orthogonal, so the spectrum is known.
  constexpr unsigned tokens = 65536;
  Matrix left(tokens, 8);
  for (unsigned token = 0; token < tokens; ++token) {
    for (unsigned column = 0; column < 8; ++column) {
      // Walsh functions: entries of 1 and -1, orthogonal.
      left(token, column) = std::popcount(token & (column << 5)) % 2 == 0 ? 1.f : -1.f;
    }
  }
  Matrix middle = Matrix::Zero(8, 8);
  for (int i = 0; i < 8; ++i) middle(i, i) = static_cast<float>(i + 1);
  const MatrixStack factor({left});
  const FactoredMap symmetric({}, factor, MatrixStack({middle}), factor);
  const FactoredMap general({}, factor, MatrixStack({middle}), MatrixStack({left}));
  for (const FactoredMap* map : {&symmetric, &general}) {
    const Spectrum spectrum = attentionSpectrum(*map, 0);
    ASSERT_EQ(spectrum.singularValues.values.size(), 8u);
    for (int i = 0; i < 8; ++i) {
      const auto index = static_cast<std::size_t>(i);
      EXPECT_NEAR(spectrum.singularValues.values[index], (8.0 - i) * tokens, 1e-6);
      EXPECT_NEAR(spectrum.eigenvalues->values[index], (8.0 - i) * tokens, 1e-6);
    }
  }
}

TEST(KernelSpectrum, OfSoftmaxAttentionIsThatOfTheWholeMatrix) {
  const KernelMap map({}, KernelMap::Kernel::Softmax, randomStack(2, 90, 8, 1),
                      randomStack(2, 90, 8, 2), 0.35);
  const Eigen::MatrixXd whole = wholeMatrix(map, 1);
  const Spectrum dense = attentionSpectrum(map, 1);
  EXPECT_TRUE(dense.singularValues.all);
  EXPECT_LT(spectrumDifference(dense.singularValues.values, denseSingularValues(whole)), 1e-12);
  EXPECT_LT(spectrumDifference(dense.eigenvalues->values, denseEigenvalueMagnitudes(whole)), 1e-10);
  EXPECT_NEAR(dense.eigenvalues->values.front(), 1, 1e-6);
  ASSERT_TRUE(dense.eigenvalueBound);
  EXPECT_EQ(dense.eigenvalueBound->value, 1);
}

TEST(KernelSpectrum, OfAGaussianBetweenUnlikeQueriesAndKeysIsOfNoSymmetricMatrix) {
  const KernelMap map({}, KernelMap::Kernel::Gaussian, randomStack(1, 40, 4, 1),
                      randomStack(1, 40, 4, 5), 1);
  const Spectrum spectrum = attentionSpectrum(map, 0);
  EXPECT_LT(spectrumDifference(spectrum.eigenvalues->values,
                               denseEigenvalueMagnitudes(wholeMatrix(map, 0))),
            1e-10);
  EXPECT_FALSE(spectrum.eigenvalueBound) << "only of a symmetric one it is the number of tokens";
}

/// The first of `values`, as many as `count`.
std::vector<double> first(const std::vector<double>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(KernelSpectrum, OfLargeMapsIsTheLargestValuesByIteration) {
  const KernelMap square({}, KernelMap::Kernel::Softmax, randomStack(1, 150, 4, 1),
                         randomStack(1, 150, 4, 2), 0.5);
  const KernelMap wide({}, KernelMap::Kernel::Softmax, randomStack(1, 60, 4, 3),
                       randomStack(1, 200, 4, 4), 0.5);
  // Held whole and computed anew for every product.
  for (const std::size_t heldBytes : {std::size_t{1} << 20, std::size_t{0}}) {
    const SpectrumOptions options{
        .denseTokens = 20, .denseEigenvalueTokens = 20, .largest = 10, .heldBytes = heldBytes};
    for (const KernelMap* map : {&square, &wide}) {
      const Eigen::MatrixXd whole = wholeMatrix(*map, 0);
      const Spectrum spectrum = attentionSpectrum(*map, 0, options);
      EXPECT_FALSE(spectrum.singularValues.all);
      EXPECT_TRUE(spectrum.singularValues.converged());
      ASSERT_EQ(spectrum.singularValues.values.size(), 10u);
      EXPECT_LT(
          spectrumDifference(spectrum.singularValues.values, first(denseSingularValues(whole), 10)),
          1e-6);
      if (map == &wide) continue;
      ASSERT_TRUE(spectrum.eigenvalues);
      const std::size_t found = spectrum.eigenvalues->values.size();
      ASSERT_GE(found, 5u);
      EXPECT_LT(spectrumDifference(spectrum.eigenvalues->values,
                                   first(denseEigenvalueMagnitudes(whole), found)),
                1e-6);
    }
  }
}

TEST(SumSpectrum, IsThatOfTheWholeSum) {
  AttentionDescription description;
  description.queryGrid = TokenGrid{9, 12};
  const MatrixStack left = randomStack(1, 108, 7, 3);
  const SumMap map(std::make_shared<FactoredMap>(description, left, randomStack(1, 7, 7, 5), left),
                   std::make_shared<StencilMap>(description, randomStack(1, 5, 5, 7)));
  const Eigen::MatrixXd whole = wholeMatrix(map, 0);
  const Spectrum dense = attentionSpectrum(map, 0);
  EXPECT_TRUE(dense.singularValues.all) << "it is not of low rank";
  EXPECT_EQ(dense.singularValues.values.size(), 108u);
  // Rows and blocks of factors round apart in float32.
  EXPECT_LT(spectrumDifference(dense.singularValues.values, denseSingularValues(whole)), 1e-6);
  EXPECT_LT(spectrumDifference(dense.eigenvalues->values, denseEigenvalueMagnitudes(whole)), 1e-6);
  EXPECT_FALSE(dense.eigenvalueBound);
  // Held whole and computed anew for every product.
  for (const std::size_t heldBytes : {std::size_t{1} << 20, std::size_t{0}}) {
    const Spectrum found = attentionSpectrum(
        map, 0,
        {.denseTokens = 20, .denseEigenvalueTokens = 20, .largest = 10, .heldBytes = heldBytes});
    ASSERT_EQ(found.singularValues.values.size(), 10u);
    EXPECT_LT(
        spectrumDifference(found.singularValues.values, first(denseSingularValues(whole), 10)),
        1e-6);
    ASSERT_TRUE(found.eigenvalues);
    const std::size_t count = found.eigenvalues->values.size();
    ASSERT_GE(count, 5u);
    EXPECT_LT(spectrumDifference(found.eigenvalues->values,
                                 first(denseEigenvalueMagnitudes(whole), count)),
              1e-6);
  }
}

TEST(KernelSpectrum, OfTheGaussianKernelIsSymmetricAndBoundedByItsTokens) {
  const MatrixStack tokens = randomStack(1, 120, 3, 5);
  const KernelMap map({}, KernelMap::Kernel::Gaussian, tokens, tokens, 1);
  const std::vector<double> expected = denseSingularValues(wholeMatrix(map, 0));
  const Spectrum dense = attentionSpectrum(map, 0);
  EXPECT_LT(spectrumDifference(dense.singularValues.values, expected), 1e-12);
  ASSERT_TRUE(dense.eigenvalueBound);
  EXPECT_EQ(dense.eigenvalueBound->value, 120);
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 120, 1e-4);

  const Spectrum iterative = attentionSpectrum(map, 0, {.denseTokens = 20, .largest = 12});
  ASSERT_EQ(iterative.eigenvalues->values.size(), 12u);
  EXPECT_LT(spectrumDifference(iterative.eigenvalues->values, first(expected, 12)), 1e-9);
}

TEST(KernelSpectrum, OfConstantAttentionHasOneValueAndZeros) {
  // Queries of zeros attend evenly: a matrix of rank one.
  const MatrixStack queries({Matrix::Zero(100, 4)});
  const KernelMap map({}, KernelMap::Kernel::Softmax, queries, randomStack(1, 100, 4, 2), 0.5);
  const Spectrum spectrum =
      attentionSpectrum(map, 0, {.denseTokens = 20, .denseEigenvalueTokens = 20, .largest = 5});
  ASSERT_FALSE(spectrum.singularValues.values.empty());
  EXPECT_NEAR(spectrum.singularValues.values[0], 1, 1e-6);
  for (std::size_t i = 1; i < spectrum.singularValues.values.size(); ++i) {
    EXPECT_LT(spectrum.singularValues.values[i], 1e-5);
  }
}

TEST(IterativeSpectrum, SaysWhatDidNotConverge) {
  // A cyclic shift: 300 eigenvalues of one magnitude, none of which Arnoldi's method can tell
  // first.
  constexpr int size = 300;
  Eigen::MatrixXd shift = Eigen::MatrixXd::Zero(size, size);
  for (int i = 0; i < size; ++i) shift(i, (i + 1) % size) = 1;
  const Progress progress;
  const SpectrumValues values = largestEigenvalues(MatrixOperator(shift, progress), 10);
  EXPECT_EQ(values.wanted, 10);
  EXPECT_FALSE(values.converged());
  EXPECT_THAT(values.method, ::testing::HasSubstr("converged of the 10 largest, Arnoldi"));
  for (const double value : values.values) EXPECT_NEAR(value, 1, 1e-6);
}

TEST(DenseSpectrum, OfARowIsItsNormAndHasNoEigenvalues) {
  const Matrix row = randomMatrix(1, 30, 4);
  const DenseMap map({}, MatrixStack({row}));
  const Spectrum spectrum = attentionSpectrum(map, 0);
  ASSERT_EQ(spectrum.singularValues.values.size(), 1u);
  EXPECT_NEAR(spectrum.singularValues.values[0], row.cast<double>().norm(), 1e-9);
  EXPECT_FALSE(spectrum.eigenvalues);
  EXPECT_FALSE(spectrum.eigenvalueBound);
}

TEST(EigenvalueBound, IsOneForFactorsThatMakeWeights) {
  // Performer: phi(q) phi(k)^T divided by its row sums.
  Matrix left = randomMatrix(30, 5, 1).cwiseAbs();
  const Matrix right = randomMatrix(30, 5, 2).cwiseAbs();
  const Vector rowSums = left * right.colwise().sum().transpose();
  left = rowSums.cwiseInverse().asDiagonal() * left;
  const FactoredMap weights({}, MatrixStack({left}), {}, MatrixStack({right}));
  ASSERT_TRUE(eigenvalueBound(weights, 0));
  EXPECT_EQ(eigenvalueBound(weights, 0)->value, 1);
  EXPECT_LT(attentionSpectrum(weights, 0).eigenvalues->values[0], 1 + 1e-6);

  const FactoredMap doubled({}, MatrixStack({2 * left}), {}, MatrixStack({right}));
  EXPECT_FALSE(eigenvalueBound(doubled, 0));
  const FactoredMap negative({}, MatrixStack({-left}), {}, MatrixStack({-right}));
  EXPECT_FALSE(eigenvalueBound(negative, 0));
  const FactoredMap wide({}, MatrixStack({left}), {}, randomStack(1, 31, 5, 3));
  EXPECT_FALSE(eigenvalueBound(wide, 0));
}

TEST(Spectrum, StopsWhenCancelled) {
  const KernelMap map({}, KernelMap::Kernel::Softmax, randomStack(1, 150, 4, 1),
                      randomStack(1, 150, 4, 2), 0.5);
  Progress progress;
  progress.cancel();
  EXPECT_THROW(attentionSpectrum(map, 0, {.denseTokens = 20}, progress), Cancelled);
  EXPECT_THROW(attentionSpectrum(map, 0, {}, progress), Cancelled);
  const MatrixStack factor = randomStack(1, 150, 4, 1);
  EXPECT_THROW(attentionSpectrum(FactoredMap({}, factor, {}, factor), 0, {}, progress), Cancelled);
}

TEST(Spectrum, SaysWhatItCannotDo) {
  LayerInspection layer{.name = "block4.0.attn",
                        .attention = std::make_shared<FactoredMap>(
                            AttentionDescription{.mechanism = "softmax"}, randomStack(1, 9, 4, 1),
                            MatrixStack(), randomStack(1, 9, 4, 2))};
  EXPECT_THROW(computeSpectrum(layer, 0, SpectrumMatrix::Bottleneck), InspectionError);
  EXPECT_THROW(computeSpectrum(layer, 0, SpectrumMatrix::Inverse), InspectionError);
  EXPECT_THROW(computeSpectrum(layer, 1, SpectrumMatrix::Attention), InspectionError);
  layer.bottleneck = {Matrix::Constant(3, 3, std::numeric_limits<float>::quiet_NaN())};
  EXPECT_THROW(computeSpectrum(layer, 0, SpectrumMatrix::Bottleneck), InspectionError);
  EXPECT_THROW(computeSpectrum(layer, 1, SpectrumMatrix::Bottleneck), InspectionError);
}

}  // namespace
}  // namespace softscope
