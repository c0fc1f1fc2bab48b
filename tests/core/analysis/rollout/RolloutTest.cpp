#include "core/Error.h"
#include "core/analysis/rollout/GridShare.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/DenseMap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace softscope {
namespace {

using ::testing::HasSubstr;

struct LayerShape {
  TokenGrid queries;
  TokenGrid keys;
  int prefix = 0;
  int heads = 2;
};

/// Maps with rows that sum to one.
std::vector<Matrix> randomMaps(const LayerShape& shape) {
  std::vector<Matrix> heads;
  for (int head = 0; head < shape.heads; ++head) {
    Matrix map =
        Matrix::Random(shape.prefix + shape.queries.count(), shape.prefix + shape.keys.count())
            .cwiseAbs();
    for (Eigen::Index row = 0; row < map.rows(); ++row) map.row(row) /= map.row(row).sum();
    heads.push_back(map);
  }
  return heads;
}

class LayersBuilder {
 public:
  void add(const LayerShape& shape, const std::vector<Matrix>& maps,
           const std::string& mechanism = "softmax") {
    AttentionDescription description;
    description.mechanism = mechanism;
    description.queryGrid = shape.queries;
    description.keyGrid = shape.keys;
    description.prefixTokens = shape.prefix;
    LayerInspection layer;
    layer.name = "layer" + std::to_string(inspection_->layers.size());
    layer.attention = std::make_shared<DenseMap>(description, MatrixStack(maps));
    inspection_->layers.push_back(layer);
  }
  AnalysedLayer last() const {
    return {"model", "", inspection_, inspection_->layers.size() - 1, {0, 0, 1, 1}};
  }

 private:
  std::shared_ptr<Inspection> inspection_ = std::make_shared<Inspection>();
};

Eigen::MatrixXd meanOf(const std::vector<Matrix>& maps) {
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(maps[0].rows(), maps[0].cols());
  for (const Matrix& map : maps) mean += map.cast<double>() / static_cast<double>(maps.size());
  return mean;
}

Eigen::VectorXd all(const Rollout& rollout) {
  Eigen::VectorXd values(rollout.prefix.size() + rollout.patches.size());
  values << rollout.prefix.cast<double>(), rollout.patches.cast<double>();
  return values;
}

/// The whole product, in float64.
TEST(Rollout, IsARowOfTheProductOverLayers) {
  const LayerShape shape{{3, 4}, {3, 4}, 2};
  LayersBuilder layers;
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(14, 14);
  for (int i = 0; i < 4; ++i) {
    const std::vector<Matrix> maps = randomMaps(shape);
    layers.add(shape, maps);
    product = (meanOf(maps) + Eigen::MatrixXd::Identity(14, 14)) / 2 * product;
  }
  for (const int token : {0, 1, 2, 13}) {
    const Rollout rollout = rollOut(layers.last(), token, RolloutHeads::Mean);
    EXPECT_LT((all(rollout) - product.row(token).transpose()).norm(), 1e-6) << token;
    EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
    EXPECT_EQ(rollout.layers, 4);
    EXPECT_FALSE(rollout.divided);
  }
}

TEST(Rollout, OfAllPatchesIsTheMeanOfTheirRows) {
  const LayerShape shape{{3, 4}, {3, 4}, 2};
  LayersBuilder layers;
  for (int i = 0; i < 3; ++i) layers.add(shape, randomMaps(shape));
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(14);
  for (int patch = 0; patch < 12; ++patch) {
    mean += all(rollOut(layers.last(), 2 + patch, RolloutHeads::Mean)) / 12;
  }
  const Rollout rollout = rollOutPatches(layers.last(), RolloutHeads::Mean);
  EXPECT_LT((all(rollout) - mean).norm(), 1e-6);
  EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
}

TEST(Rollout, OfTheLargestOverHeadsHasRowsDividedByTheirSums) {
  const LayerShape shape{{2, 3}, {2, 3}, 0, 3};
  LayersBuilder layers;
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(6, 6);
  for (int i = 0; i < 2; ++i) {
    const std::vector<Matrix> maps = randomMaps(shape);
    layers.add(shape, maps);
    Eigen::MatrixXd largest = maps[0].cwiseMax(maps[1]).cwiseMax(maps[2]).cast<double>();
    for (int row = 0; row < 6; ++row) largest.row(row) /= largest.row(row).sum();
    product = (largest + Eigen::MatrixXd::Identity(6, 6)) / 2 * product;
  }
  const Rollout rollout = rollOut(layers.last(), 4, RolloutHeads::Largest);
  EXPECT_LT((all(rollout) - product.row(4).transpose()).norm(), 1e-6);
}

TEST(Rollout, DividesRowsThatDoNotSumToOneByTheirSums) {
  const LayerShape shape{{2, 2}, {2, 2}};
  std::vector<Matrix> maps = randomMaps(shape);
  LayersBuilder layers;
  layers.add(shape, maps);
  for (Matrix& map : maps) map *= 7;
  LayersBuilder scaled;
  scaled.add(shape, maps, "soft");
  const Rollout rollout = rollOut(scaled.last(), 1, RolloutHeads::Mean);
  EXPECT_TRUE(rollout.divided);
  EXPECT_LT((all(rollout) - all(rollOut(layers.last(), 1, RolloutHeads::Mean))).norm(), 1e-6);
}

TEST(Rollout, RefusesRowsThatSumToNothing) {
  const LayerShape shape{{1, 2}, {1, 2}, 0, 1};
  Matrix map(2, 2);
  map << 1, -1, 0.5f, 0.5f;
  LayersBuilder layers;
  layers.add(shape, {map}, "sima");
  try {
    rollOut(layers.last(), 0, RolloutHeads::Mean);
    ADD_FAILURE() << "a row has no shares";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("layer0: some of its rows sum to nothing"));
  }
}

TEST(Rollout, GoesThroughCoarserKeysAndGridsByArea) {
  LayersBuilder layers;
  const LayerShape fine{{4, 4}, {2, 2}};
  const LayerShape coarse{{2, 2}, {2, 2}};
  const std::vector<Matrix> first = randomMaps(fine);
  const std::vector<Matrix> second = randomMaps(coarse);
  layers.add(fine, first);
  layers.add(coarse, second);
  // Each coarse patch is four fine ones, which share what it holds.
  Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(4, 16);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      shares((row / 2) * 2 + column / 2, row * 4 + column) = 0.25;
    }
  }
  const Eigen::MatrixXd above = (meanOf(second) + Eigen::MatrixXd::Identity(4, 4)) / 2 * shares;
  const Eigen::MatrixXd below = (meanOf(first) * shares + Eigen::MatrixXd::Identity(16, 16)) / 2;
  const Rollout rollout = rollOut(layers.last(), 2, RolloutHeads::Mean);
  EXPECT_LT((all(rollout) - (above * below).row(2).transpose()).norm(), 1e-6);
  EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
}

TEST(GridShare, KeepsTheSumWhereGridsDoNotNest) {
  const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(6, 1, 6);
  const Eigen::VectorXd shared = sharedByArea(values, {2, 3}, {3, 2});
  EXPECT_NEAR(shared.sum(), values.sum(), 1e-12);
  // The first of three rows lies in the first of two, the first of two columns over one and a half.
  EXPECT_NEAR(shared[0], 2.0 / 3 * (1 + 0.5 * 2), 1e-12);
}

}  // namespace
}  // namespace softscope
