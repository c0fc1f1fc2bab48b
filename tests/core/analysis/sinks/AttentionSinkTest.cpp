#include "core/Error.h"
#include "core/analysis/sinks/AttentionSink.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "core/attention/KernelMap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <random>

namespace softscope {
namespace {

Matrix uniformMatrix(int rows, int columns, unsigned seed, float least = -1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> entries(least, 1);
  Matrix matrix(rows, columns);
  for (float& entry : matrix.reshaped()) entry = entries(random);
  return matrix;
}

AttentionDescription sinkGrid(int height, int width, int prefix) {
  AttentionDescription description;
  description.mechanism = "performer";
  description.queryGrid = TokenGrid{height, width};
  description.keyGrid = description.queryGrid;
  description.prefixTokens = prefix;
  return description;
}

LayerInspection layerWith(std::shared_ptr<const AttentionMap> map) {
  LayerInspection layer;
  layer.attention = std::move(map);
  return layer;
}

/// Column sums of |A| of a matrix that is stored as a whole.
Eigen::VectorXd denseSums(const Eigen::MatrixXd& matrix) {
  return matrix.cwiseAbs().colwise().sum().transpose();
}

void expectSums(const AttentionMap& map, const Eigen::MatrixXd& dense) {
  const Eigen::VectorXd expected = denseSums(dense);
  const Eigen::VectorXd found = columnMagnitudes(map, 0);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-5 * expected.maxCoeff());
}

TEST(AttentionSink, SumsPositiveFactorsAndSignedOnesAlike) {
  for (const float least : {0.0f, -1.0f}) {
    const Matrix left = uniformMatrix(50, 7, 1, least);
    const Matrix middle = uniformMatrix(7, 7, 2, least);
    const Matrix right = uniformMatrix(40, 7, 3, least);
    const FactoredMap map({}, MatrixStack(std::vector{left}), MatrixStack(std::vector{middle}),
                          MatrixStack(std::vector{right}));
    expectSums(map, left.cast<double>() * middle.cast<double>() * right.cast<double>().transpose());
    const FactoredMap withoutMiddle({}, MatrixStack(std::vector{left}), {},
                                    MatrixStack(std::vector{right}));
    expectSums(withoutMiddle, left.cast<double>() * right.cast<double>().transpose());
  }
}

TEST(AttentionSink, SumsASoftmax) {
  const Matrix query = uniformMatrix(30, 8, 4) * 3;
  const Matrix key = uniformMatrix(30, 8, 5) * 3;
  const KernelMap map({}, KernelMap::Kernel::Softmax, MatrixStack(std::vector{query}),
                      MatrixStack(std::vector{key}), 0.5);
  Eigen::ArrayXXd weights =
      (0.5 * query.cast<double>() * key.cast<double>().transpose()).array().exp();
  weights.colwise() /= weights.rowwise().sum().eval();
  expectSums(map, weights.matrix());
}

TEST(AttentionSink, TakesOnlyFactorsAndNoMatrixWhereNothingIsNegative) {
  // Its matrix would have 10^12 entries.
  const int tokens = 1000000;
  const Matrix ones = Matrix::Ones(tokens, 1);
  Matrix right = ones;
  right(17, 0) = 1000001;
  const FactoredMap map({}, MatrixStack(std::vector{ones}), {}, MatrixStack(std::vector{right}));
  const Eigen::VectorXd sums = columnMagnitudes(map, 0);
  EXPECT_DOUBLE_EQ(sums[16], 1e6);
  EXPECT_DOUBLE_EQ(sums[17], 1000001e6);
}

TEST(AttentionSink, RefusesToSumTooManyMagnitudes) {
  Matrix left = Matrix::Ones(40000, 1);
  left(3, 0) = -1;
  const FactoredMap map({}, MatrixStack(std::vector{left}), {}, MatrixStack(std::vector{left}));
  EXPECT_THROW(columnMagnitudes(map, 0), InspectionError);
}

TEST(AttentionSink, IsTheKeyWithMostOfTheAttention) {
  Matrix matrix(5, 5);
  matrix << 0.1f, -0.6f, 0.1f, 0.1f, 0.1f,  //
      0.2f, 0.4f, 0.2f, 0.1f, 0.1f,         //
      0.2f, -0.2f, 0.2f, 0.2f, 0.2f,        //
      0.1f, 0.5f, 0.1f, 0.2f, 0.1f,         //
      0.2f, 0.8f, 0.0f, 0.0f, 0.0f;
  LayerInspection layer = layerWith(
      std::make_shared<DenseMap>(sinkGrid(2, 2, 1), MatrixStack(std::vector<Matrix>{matrix})));
  layer.valueNorms = Matrix(1, 5);
  layer.valueNorms << 4, 0.5f, 2, 1, 3;
  const auto sink = attentionSink(layer, 0);
  ASSERT_TRUE(sink);
  EXPECT_EQ(sink->key, 1);
  EXPECT_NEAR(sink->share, 2.5 / 5, 1e-6);
  EXPECT_NEAR(sink->factor, 2.5, 1e-6);
  EXPECT_EQ(sink->isPrefix, std::optional(false));
  EXPECT_NEAR(sink->valueNorm.value(), 0.5 / 2, 1e-6);
  matrix.col(0).array() += 1;
  layer.attention =
      std::make_shared<DenseMap>(sinkGrid(2, 2, 1), MatrixStack(std::vector<Matrix>{matrix}));
  layer.valueNorms = {};
  EXPECT_EQ(attentionSink(layer, 0)->isPrefix, std::optional(true));
  EXPECT_FALSE(attentionSink(layer, 0)->valueNorm);
}

TEST(AttentionSink, NamesNoKeyWhereNoneHasMoreThanAnother) {
  Matrix matrix = Matrix::Constant(5, 5, 0.2f);
  const auto sinkOf = [&] {
    LayerInspection layer = layerWith(
        std::make_shared<DenseMap>(sinkGrid(2, 2, 1), MatrixStack(std::vector<Matrix>{matrix})));
    layer.valueNorms = Matrix::Ones(1, 5);
    return attentionSink(layer, 0).value();
  };
  AttentionSink sink = sinkOf();
  EXPECT_NEAR(sink.share, 0.2, 1e-7);
  EXPECT_NEAR(sink.factor, 1, 1e-6);
  EXPECT_FALSE(sink.key);
  EXPECT_FALSE(sink.isPrefix) << "the class token is one of them";
  EXPECT_FALSE(sink.valueNorm);
  // Two patches, of which only one has more by what rounding makes.
  matrix.col(2).setConstant(0.3f);
  matrix.col(3).setConstant(std::nextafter(0.3f, 1.0f));
  sink = sinkOf();
  EXPECT_FALSE(sink.key);
  EXPECT_EQ(sink.isPrefix, std::optional(false));
  matrix.col(3) *= 1.0001f;
  sink = sinkOf();
  EXPECT_EQ(sink.key, std::optional(3));
  EXPECT_TRUE(sink.valueNorm);
}

TEST(AttentionSink, KnowsRegistersBehindThePatches) {
  Matrix matrix = Matrix::Constant(5, 5, 0.1f);
  matrix.col(4).setConstant(0.6f);
  AttentionDescription description = sinkGrid(2, 2, 0);
  EXPECT_FALSE(hasPrefixKeys(
      DenseMap(description, MatrixStack(std::vector<Matrix>{matrix.topLeftCorner(4, 4)}))
          .description()));
  description.suffixTokens = 1;
  const LayerInspection layer =
      layerWith(std::make_shared<DenseMap>(description, MatrixStack(std::vector<Matrix>{matrix})));
  EXPECT_TRUE(hasPrefixKeys(layer.attention->description()));
  EXPECT_EQ(attentionSink(layer, 0)->isPrefix, std::optional(true));
}

TEST(AttentionSink, IsNotDefinedForOneQueryForChannelsOrForZeros) {
  const auto undefined = [](AttentionDescription description, const Matrix& matrix) {
    const LayerInspection layer = layerWith(
        std::make_shared<DenseMap>(description, MatrixStack(std::vector<Matrix>{matrix})));
    return !attentionSink(layer, 0).has_value();
  };
  EXPECT_TRUE(undefined(sinkGrid(2, 2, 0), Matrix::Ones(1, 4)));
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  EXPECT_TRUE(undefined(channels, Matrix::Ones(4, 4)));
  EXPECT_TRUE(undefined(sinkGrid(2, 2, 0), Matrix::Zero(4, 4)));
  EXPECT_FALSE(undefined(sinkGrid(2, 2, 0), Matrix::Ones(4, 4)));
}

}  // namespace
}  // namespace softscope
