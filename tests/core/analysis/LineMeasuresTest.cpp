#include "core/Error.h"
#include "core/analysis/LineMeasures.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

namespace softscope {
namespace {

using test::randomMatrix;
using test::randomStack;

LayerInspection linearLayer(const Matrix& queries, const Matrix& keys) {
  LayerInspection layer;
  layer.attention = std::make_shared<FactoredMap>(AttentionDescription{}, MatrixStack({queries}),
                                                  MatrixStack(), MatrixStack({keys}));
  return layer;
}

/// Keys of one direction, `lengths` long.
Matrix alignedKeys(const Vector& lengths, const Vector& direction) {
  return lengths * direction.normalized().transpose();
}

TEST(LineCauses, AreOneWhereTheyMustBe) {
  // Every key lies along what the queries share: column means grow with both, exactly.
  const Vector direction = randomMatrix(6, 1, 1).col(0);
  const Vector lengths = randomMatrix(50, 1, 2).col(0).cwiseAbs().array() + 0.1f;
  Matrix queries = randomMatrix(80, 6, 3);
  queries.rowwise() += 5 * direction.transpose();
  // The mean query is not quite `direction`, but its product with keys along one direction is a
  // multiple of their lengths.
  const LineMeasures measures =
      lineMeasures(linearLayer(queries, alignedKeys(lengths, direction)), 0);
  EXPECT_NEAR(*measures.keyNormCorrelation, 1, 1e-6);
  EXPECT_NEAR(*measures.queryDirectionCorrelation, 1, 1e-6);
}

TEST(LineCauses, ProductsWithTheMeanQueryAreTheColumnMeansOfALinearMap) {
  const LineMeasures measures =
      lineMeasures(linearLayer(randomMatrix(80, 6, 3), randomMatrix(50, 6, 4)), 0);
  EXPECT_NEAR(*measures.queryDirectionCorrelation, 1, 1e-6);
  EXPECT_LT(std::abs(*measures.keyNormCorrelation), 0.6) << "independent of the keys' lengths";
}

TEST(LineCauses, AreZeroWhereKeysSayNothing) {
  // Means that are orthogonal to norms and products alike, by construction.
  const Matrix keys = randomMatrix(60, 4, 5);
  const Matrix queries = randomMatrix(30, 4, 6);
  const LayerInspection layer = linearLayer(queries, keys);
  Eigen::MatrixXd known(60, 3);
  known.col(0).setOnes();
  known.col(1) = keys.cast<double>().rowwise().norm();
  known.col(2) = keys.cast<double>() * queries.cast<double>().colwise().mean().transpose();
  const Eigen::VectorXd any = randomMatrix(60, 1, 7).col(0).cast<double>();
  const Eigen::VectorXd independent = any - known * known.colPivHouseholderQr().solve(any);
  const auto causes = lineCauses(layer, 0, independent);
  ASSERT_TRUE(causes);
  EXPECT_NEAR(*causes->keyNorm, 0, 1e-9);
  EXPECT_NEAR(*causes->queryDirection, 0, 1e-9);
}

TEST(LineCauses, AreOfTheKernelThatLandmarksStandFor) {
  const MatrixStack queries = randomStack(1, 40, 5, 8);
  LayerInspection layer;
  layer.attention =
      std::make_shared<FactoredMap>(AttentionDescription{}, randomStack(1, 40, 7, 1),
                                    randomStack(1, 7, 7, 2), randomStack(1, 40, 7, 3));
  const Eigen::VectorXd means = queries[0].cast<double>().rowwise().norm();
  EXPECT_FALSE(lineCauses(layer, 0, means)) << "neither queries nor keys";
  layer.exactKernel = std::make_shared<KernelMap>(AttentionDescription{},
                                                  KernelMap::Kernel::Gaussian, queries, queries, 1);
  EXPECT_NEAR(*lineCauses(layer, 0, means)->keyNorm, 1, 1e-9);
  EXPECT_FALSE(lineCauses(layer, 0, Eigen::VectorXd::Constant(40, 2))->keyNorm)
      << "what does not vary follows nothing";
}

TEST(LineCauses, AreNotOfFactorsThatAreNotQueriesAndKeys) {
  const auto correlates = [](const AttentionDescription& description) {
    LayerInspection layer;
    layer.attention = std::make_shared<FactoredMap>(description, randomStack(1, 12, 3, 1),
                                                    MatrixStack(), randomStack(1, 12, 3, 2));
    return lineMeasures(layer, 0).keyNormCorrelation.has_value();
  };
  for (const char* mechanism : {"linformer", "agent", "additive"}) {
    EXPECT_FALSE(correlates({.mechanism = mechanism})) << mechanism;
  }
  EXPECT_FALSE(correlates({.mechanism = "of a recording", .landmarks = 3}));
  for (const char* mechanism : {"sima", "performer", "vssd", "of a recording"}) {
    EXPECT_TRUE(correlates({.mechanism = mechanism})) << mechanism;
  }
}

TEST(LineCauses, NeedQueriesAndKeys) {
  LayerInspection layer;
  layer.attention = std::make_shared<DenseMap>(AttentionDescription{}, randomStack(1, 6, 6, 1));
  const LineMeasures measures = lineMeasures(layer, 0);
  EXPECT_TRUE(measures.score);
  EXPECT_FALSE(measures.keyNormCorrelation);
  EXPECT_FALSE(measures.queryDirectionCorrelation);
}

}  // namespace

namespace {

using test::randomMatrix;
using test::randomStack;

/// By definition, in long double: immune to the cancellation under test.
double scoreByDefinition(const Eigen::MatrixXd& matrix) {
  const auto entries = matrix.cast<long double>();
  const long double mean = entries.mean();
  const Eigen::Matrix<long double, 1, Eigen::Dynamic> columnMeans = entries.colwise().mean();
  const long double explained =
      static_cast<long double>(matrix.rows()) * (columnMeans.array() - mean).square().sum();
  return static_cast<double>(explained / (entries.array() - mean).square().sum());
}

std::optional<double> rawScore(const AttentionMap& map, int head) {
  return lineScores(map, head).raw;
}

/// The score of the matrix whose row means are taken away first.
double centredByDefinition(const Eigen::MatrixXd& matrix) {
  return scoreByDefinition(matrix.colwise() - matrix.rowwise().mean());
}

DenseMap denseMap(const Eigen::MatrixXd& matrix) {
  return DenseMap({}, MatrixStack({matrix.cast<float>()}));
}

TEST(LineScore, IsOneForIdenticalRows) {
  const Matrix rows = Matrix::Ones(40, 1) * randomMatrix(1, 25, 3);
  EXPECT_DOUBLE_EQ(*rawScore(denseMap(rows.cast<double>()), 0), 1);
  const MatrixStack left({Matrix::Ones(40, 1) * randomMatrix(1, 6, 1)});
  EXPECT_DOUBLE_EQ(*rawScore(FactoredMap({}, left, {}, randomStack(1, 25, 6, 2)), 0), 1);
  // Queries of zeros make no difference between queries.
  const KernelMap alike({}, KernelMap::Kernel::Softmax, MatrixStack({Matrix::Zero(40, 4)}),
                        MatrixStack({Matrix::Ones(25, 4)}), 1);
  EXPECT_FALSE(rawScore(alike, 0)) << "all entries are alike";
}

TEST(LineScore, IsZeroForEqualColumnMeans) {
  Eigen::MatrixXd centred = randomMatrix(40, 25, 3).cast<double>();
  centred = (centred.rowwise() - centred.colwise().mean()).eval();
  EXPECT_LT(*rawScore(denseMap(centred.array() + 3), 0), 1e-12);
  Eigen::MatrixXd left = randomMatrix(40, 5, 4).cast<double>();
  left = (left.rowwise() - left.colwise().mean()).eval();
  EXPECT_LT(
      *rawScore(FactoredMap({}, MatrixStack({left.cast<float>()}), {}, randomStack(1, 25, 5, 5)),
                0),
      1e-12);
}

TEST(LineScore, IsUndefinedForAConstantMatrix) {
  EXPECT_FALSE(rawScore(denseMap(Eigen::MatrixXd::Constant(9, 7, 0.3)), 0));
  EXPECT_FALSE(rawScore(denseMap(Eigen::MatrixXd::Zero(9, 7)), 0));
  const FactoredMap factored({}, MatrixStack({Matrix::Constant(9, 3, 0.1f)}), {},
                             MatrixStack({Matrix::Constant(7, 3, 0.7f)}));
  EXPECT_FALSE(rawScore(factored, 0));
}

/// As class attention has it: the means of its columns are the row itself.
TEST(LineScore, IsUndefinedForOneQuery) {
  const Eigen::MatrixXd row = randomMatrix(1, 7, 1).cast<double>();
  EXPECT_FALSE(rawScore(denseMap(row), 0));
  const FactoredMap factored({}, MatrixStack({randomMatrix(1, 3, 2)}), {},
                             MatrixStack({randomMatrix(7, 3, 3)}));
  EXPECT_FALSE(rawScore(factored, 0));
  EXPECT_EQ(lineScores(factored, 0).columnMeans.size(), 7);
}

TEST(LineScore, IsRightWhereTheVariationIsSmallAgainstTheMean) {
  // Column 0 of the factors carries the mean, the others a variation of 1e-4 of it.
  Matrix left = 1e-2f * randomMatrix(300, 6, 1);
  Matrix right = 1e-2f * randomMatrix(200, 6, 2);
  left.col(0).setOnes();
  right.col(0).array() += 1;
  const FactoredMap map({}, MatrixStack({left}), {}, MatrixStack({right}));
  const Eigen::MatrixXd whole = left.cast<double>() * right.cast<double>().transpose();
  const double expected = scoreByDefinition(whole);
  EXPECT_GT(expected, 0.01);
  EXPECT_LT(expected, 0.9999999);
  EXPECT_NEAR(*rawScore(map, 0), expected, 1e-12);

  const Eigen::MatrixXd varied =
      (1 + 1e-4 * randomMatrix(300, 200, 3).cast<double>().array()).matrix();
  const DenseMap dense = denseMap(varied);
  const Eigen::MatrixXd rounded = dense.values()[0].cast<double>();
  EXPECT_NEAR(*rawScore(dense, 0), scoreByDefinition(rounded), 1e-9);
  EXPECT_NEAR(*rawScore(dense, 0), scoreByDefinition(varied), 1e-6);
}

TEST(LineScore, IsRightWhereTheFactorsCancel) {
  // Columns alike to 1e-3, undone by a middle of the size of an inverse: sums of squares of the
  // factors would lose the digits in which the rows differ.
  Matrix left = randomMatrix(300, 8, 1);
  for (int column = 1; column < 8; ++column) {
    left.col(column) = left.col(0) + 1e-3f * left.col(column);
  }
  const Eigen::MatrixXd gram = left.cast<double>().transpose() * left.cast<double>();
  const MatrixStack factor({left});
  const FactoredMap map({}, factor, MatrixStack({test::denseInverse(gram).cast<float>()}), factor);
  const Eigen::MatrixXd whole =
      left.cast<double>() * map.middle()[0].cast<double>() * left.cast<double>().transpose();
  EXPECT_NEAR(*rawScore(map, 0), scoreByDefinition(whole), 1e-6);
}

TEST(LineScore, OfEveryKindOfMapIsItsDefinition) {
  const FactoredMap factored({}, randomStack(2, 70, 9, 1), randomStack(2, 9, 9, 2),
                             randomStack(2, 40, 9, 3));
  EXPECT_NEAR(*rawScore(factored, 1), scoreByDefinition(test::wholeMatrix(factored, 1)), 1e-6);
  const KernelMap kernel({}, KernelMap::Kernel::Softmax, randomStack(2, 70, 9, 1),
                         randomStack(2, 40, 9, 3), 0.3);
  EXPECT_NEAR(*rawScore(kernel, 1), scoreByDefinition(test::wholeMatrix(kernel, 1)), 1e-10);
  const FactoredMap wide({}, randomStack(1, 5, 30, 1), {}, randomStack(1, 6, 30, 3));
  EXPECT_NEAR(*rawScore(wide, 0), scoreByDefinition(test::wholeMatrix(wide, 0)), 1e-5);
}

TEST(LineScore, CentredIsThatOfTheMatrixLessItsRowMeans) {
  const FactoredMap factored({}, randomStack(2, 70, 9, 1), randomStack(2, 9, 9, 2),
                             randomStack(2, 40, 9, 3));
  EXPECT_NEAR(*lineScores(factored, 1).centred, centredByDefinition(test::wholeMatrix(factored, 1)),
              1e-6);
  Eigen::MatrixXd rows = randomMatrix(30, 20, 7).cast<double>();
  rows.colwise() += 10 * randomMatrix(30, 1, 8).cast<double>().col(0);
  const DenseMap dense = denseMap(rows);
  const Eigen::MatrixXd rounded = dense.values()[0].cast<double>();
  const LineScores scores = lineScores(dense, 0);
  EXPECT_NEAR(*scores.centred, centredByDefinition(rounded), 1e-9);
  EXPECT_GT(*scores.centred, 2 * *scores.raw) << "row means dilute the raw score";
  EXPECT_LT((scores.columnMeans - rounded.colwise().mean().transpose()).norm(), 1e-6);
  // A softmax's rows have one sum.
  const KernelMap kernel({}, KernelMap::Kernel::Softmax, randomStack(1, 70, 9, 1),
                         randomStack(1, 40, 9, 3), 0.3);
  EXPECT_NEAR(*lineScores(kernel, 0).centred, *lineScores(kernel, 0).raw, 1e-9);
}

TEST(LineScore, ColumnMeansAreThoseOfTheWholeMatrix) {
  const FactoredMap factored({}, randomStack(2, 70, 9, 1), randomStack(2, 9, 9, 2),
                             randomStack(2, 40, 9, 3));
  const Eigen::MatrixXd whole = test::wholeMatrix(factored, 0);
  EXPECT_LT((lineScores(factored, 0).columnMeans - whole.colwise().mean().transpose()).norm(),
            1e-5 * whole.norm());
}

TEST(LineScore, RefusesAHeadThatIsNotThere) {
  const FactoredMap map({}, randomStack(1, 5, 3, 1), {}, randomStack(1, 6, 3, 3));
  EXPECT_THROW(lineScores(map, 1), InspectionError);
  EXPECT_THROW(lineScores(map, -1), InspectionError);
}

TEST(LineScore, OfEntriesThatAreNotFiniteIsNone) {
  Eigen::MatrixXd matrix = randomMatrix(6, 5, 3).cast<double>();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double entry : {infinite, -infinite, std::nan("")}) {
    for (const bool everywhere : {false, true}) {
      Eigen::MatrixXd lacking = matrix;
      if (everywhere) lacking.fill(entry);
      lacking(4, 2) = entry;
      const auto score = rawScore(denseMap(lacking), 0);
      ASSERT_TRUE(score.has_value()) << "it is not constant";
      EXPECT_TRUE(std::isnan(*score));
    }
  }
}

}  // namespace
}  // namespace softscope
