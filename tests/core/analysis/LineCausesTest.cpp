#include "core/analysis/LineCauses.h"
#include "core/analysis/LineMeasures.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

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
}  // namespace softscope
