#include "core/Error.h"
#include "core/analysis/GridSampling.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/DenseMap.h"
#include "core/attention/GradientProductMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace softscope {
namespace {

constexpr int heads = 2;
constexpr int valueWidth = 3;

std::vector<Matrix> randomStack(Eigen::Index rows, Eigen::Index columns, float scale = 1) {
  std::vector<Matrix> stack;
  for (int head = 0; head < heads; ++head) stack.push_back(scale * Matrix::Random(rows, columns));
  return stack;
}

/// Layers of signed attention with a gradient, and E of each in float64.
class GradientLayers {
 public:
  explicit GradientLayers(float gradientScale = 1) : gradientScale_(gradientScale) {}

  void add(const TokenGrid& queries, const TokenGrid& keys, int prefix, int suffix = 0) {
    AttentionDescription description;
    description.mechanism = "sima";
    description.queryGrid = queries;
    description.keyGrid = keys;
    description.prefixTokens = prefix;
    description.suffixTokens = suffix;
    add(description, prefix + queries.count() + suffix, prefix + keys.count() + suffix);
  }
  /// Adds a learned query that sees `prefix` single tokens and patches.
  void addPool(const TokenGrid& keys, int prefix) {
    AttentionDescription description;
    description.mechanism = "softmax_pool";
    description.keyGrid = keys;
    add(description, 1, prefix + keys.count());
  }
  void add(const AttentionDescription& description, Eigen::Index rows, Eigen::Index columns) {
    const std::vector<Matrix> maps = randomStack(rows, columns);
    const std::vector<Matrix> gradients = randomStack(rows, valueWidth, gradientScale_);
    const std::vector<Matrix> values = randomStack(columns, valueWidth);
    Eigen::MatrixXd entries = Eigen::MatrixXd::Zero(rows, columns);
    for (std::size_t head = 0; head < heads; ++head) {
      const Eigen::MatrixXd gradient =
          gradients[head].cast<double>() * values[head].cast<double>().transpose();
      entries += maps[head].cast<double>().cwiseProduct(gradient).cwiseMax(0) / heads;
    }
    entries_.push_back(entries);
    LayerInspection layer;
    layer.name = "layer" + std::to_string(inspection_->layers.size());
    layer.attention = std::make_shared<DenseMap>(description, MatrixStack(maps));
    layer.gradientProduct = std::make_shared<GradientProductMap>(
        layer.attention, MatrixStack(gradients), MatrixStack(values),
        GradientProductMap::Logit{{}, "tabby"});
    inspection_->layers.push_back(layer);
  }
  LayerInspection& at(std::size_t layer) { return inspection_->layers[layer]; }
  const Eigen::MatrixXd& entries(std::size_t layer) const { return entries_[layer]; }
  AnalysedLayer last() const {
    return {"model", "", inspection_, inspection_->layers.size() - 1, {0, 0, 1, 1}};
  }

 private:
  std::shared_ptr<Inspection> inspection_ = std::make_shared<Inspection>();
  std::vector<Eigen::MatrixXd> entries_;
  float gradientScale_;
};

Eigen::VectorXd gainsOf(const Rollout& rollout) {
  Eigen::VectorXd values(rollout.prefix.size() + rollout.patches.size());
  values << rollout.prefix.cast<double>(), rollout.patches.cast<double>();
  return values;
}

TEST(GradientRollout, IsARowOfTheProductOfIdentityAndEntriesWithoutTheTokenItself) {
  GradientLayers layers;
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(14, 14);
  for (std::size_t i = 0; i < 3; ++i) {
    layers.add({3, 4}, {3, 4}, 2);
    product = (product + layers.entries(i) * product).eval();
  }
  product -= Eigen::MatrixXd::Identity(14, 14);
  for (const int token : {0, 1, 2, 13}) {
    const Rollout rollout = rollOutGradients(layers.last(), token);
    EXPECT_LT((gainsOf(rollout) - product.row(token).transpose()).norm(),
              1e-6 * product.row(token).norm())
        << token;
    EXPECT_EQ(rollout.speaksFor, "tabby");
    EXPECT_GE(gainsOf(rollout).minCoeff(), -1e-6);
  }
}

TEST(GradientRollout, FollowsTokensBehindThePatches) {
  GradientLayers layers;
  layers.add({2, 2}, {2, 2}, 0, 1);
  // The class token is the last of the matrix, and the first of the tokens that are no patches.
  const Rollout rollout = rollOutGradients(layers.last(), 4);
  EXPECT_NEAR(rollout.prefix[0], layers.entries(0)(4, 4), 1e-6);
  EXPECT_LT((rollout.patches.cast<double>() - layers.entries(0).row(4).head(4).transpose()).norm(),
            1e-6);
}

// A learned query's weights on registers flow on through the block before; none stay on the query.
TEST(GradientRollout, FollowsRegistersThatALearnedQuerySees) {
  GradientLayers layers;
  layers.add({2, 3}, {2, 3}, 2);
  layers.addPool({2, 3}, 2);
  const Rollout rollout = rollOutGradients(layers.last(), 0);
  const Eigen::RowVectorXd seen = layers.entries(1).row(0);
  const Eigen::RowVectorXd expected = seen + seen * layers.entries(0);
  ASSERT_EQ(rollout.prefix.size(), 2);
  EXPECT_LT((gainsOf(rollout) - expected.transpose()).norm(), 1e-6 * expected.norm());
}

TEST(GradientRollout, SharesValuesOutBetweenGrids) {
  GradientLayers layers;
  layers.add({4, 4}, {2, 2}, 0);
  layers.add({2, 2}, {2, 2}, 0);
  const Rollout rollout = rollOutGradients(layers.last(), 1);
  const TokenGrid coarse{2, 2};
  const TokenGrid fine{4, 4};
  Eigen::VectorXd row = Eigen::VectorXd::Unit(4, 1);
  row += layers.entries(1).transpose() * row;
  row = sharedByArea(row, coarse, fine);
  row += sharedByArea(layers.entries(0).transpose() * row, coarse, fine);
  row -= sharedByArea(Eigen::VectorXd::Unit(4, 1), coarse, fine);
  EXPECT_EQ(rollout.grid, fine);
  EXPECT_LT((gainsOf(rollout) - row).norm(), 1e-6 * row.norm());
}

// Sharing a patch out over 13, 25 and 50 cells a side in turn is not the same as over 50 at once.
TEST(GradientRollout, KeepsSmallPositiveValuesOnGridsThatDoNotDivideEachOther) {
  GradientLayers layers(1e-7f);
  const TokenGrid keys{7, 1};
  const std::vector<TokenGrid> grids{{50, 1}, {25, 1}, {13, 1}, {7, 1}};
  for (const TokenGrid& grid : grids) layers.add(grid, keys, 0);
  const int token = 3;
  const Rollout rollout = rollOutGradients(layers.last(), token);
  Eigen::VectorXd start = Eigen::VectorXd::Unit(7, token);
  Eigen::VectorXd gained = Eigen::VectorXd::Zero(7);
  for (std::size_t i = grids.size(); i > 0; --i) {
    const TokenGrid& from = grids[std::min(i, grids.size() - 1)];
    start = sharedByArea(start, from, grids[i - 1]);
    gained = sharedByArea(gained, from, grids[i - 1]);
    gained +=
        sharedByArea(layers.entries(i - 1).transpose() * (start + gained), keys, grids[i - 1]);
  }
  EXPECT_EQ(rollout.grid, grids.front());
  EXPECT_GE(rollout.patches.minCoeff(), 0);
  EXPECT_LT((gainsOf(rollout) - gained).norm(), 1e-5 * gained.norm());
}

TEST(GradientRollout, PassesLayersBetweenChannelsBy) {
  GradientLayers layers;
  layers.add({2, 2}, {2, 2}, 0);
  AttentionDescription channels;
  channels.mechanism = "xca_channel";
  LayerInspection between;
  between.name = "between";
  between.attention = std::make_shared<DenseMap>(channels, MatrixStack(randomStack(3, 3)));
  AnalysedLayer of = layers.last();
  auto inspection = std::make_shared<Inspection>(*of.inspection);
  inspection->layers.insert(inspection->layers.begin(), between);
  of.inspection = inspection;
  of.index = 1;
  const Rollout rollout = rollOutGradients(of, 3);
  EXPECT_EQ(rollout.passed, 1);
  EXPECT_LT((gainsOf(rollout) - layers.entries(0).row(3).transpose()).norm(), 1e-6);
}

TEST(GradientRollout, SaysWhichLayerHasNoGradient) {
  GradientLayers layers;
  layers.add({2, 2}, {2, 2}, 0);
  layers.add({2, 2}, {2, 2}, 0);
  layers.at(0).gradientProduct = nullptr;
  layers.at(0).gradientObstacle = "the class does not depend on this layer's attention";
  try {
    rollOutGradients(layers.last(), 0);
    FAIL();
  } catch (const InspectionError& error) {
    EXPECT_STREQ(error.what(), "layer0: the class does not depend on this layer's attention");
  }
}

TEST(GradientRollout, WritesNoWeightsOfAttention) {
  GradientLayers layers;
  layers.add({2, 2}, {2, 2}, 1);
  const AnalysisInput gradient{{layers.last()}, ShownMap::GradientProduct};
  const auto rollouts = computeRollouts(gradient, {}, nullptr, {{.x = 0.1, .y = 0.1}});
  ASSERT_EQ(rollouts.size(), 1u);
  EXPECT_EQ(rollouts[0].obstacle, "");
  std::vector<std::string> names;
  for (const auto& [name, array] : rolloutArrays(rollouts)) names.push_back(name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"model.layer0.rollout", "model.layer0.rollout_prefix"}));
}

// The share that patches give to registers of the block below flows on, though the query sees
// patches alone.
TEST(GradientRollout, FollowsRegistersThatALearnedQueryDoesNotSee) {
  GradientLayers layers;
  layers.add({2, 3}, {2, 3}, 2);
  layers.add({2, 3}, {2, 3}, 2);
  layers.addPool({2, 3}, 0);
  const Rollout rollout = rollOutGradients(layers.last(), 0);
  Eigen::RowVectorXd expected = Eigen::RowVectorXd::Zero(8);
  expected.tail(6) = layers.entries(2).row(0);
  for (const std::size_t i : {1u, 0u}) expected += (expected * layers.entries(i)).eval();
  ASSERT_EQ(rollout.prefix.size(), 2);
  EXPECT_LT((gainsOf(rollout) - expected.transpose()).norm(), 1e-6 * expected.norm());
}

TEST(GradientRollout, FollowsAllSingleTokensThatAClassQuerySees) {
  GradientLayers layers;
  layers.add({2, 2}, {2, 2}, 3);
  AttentionDescription ofClass;
  ofClass.mechanism = "softmax_class";
  ofClass.keyGrid = TokenGrid{2, 2};
  ofClass.prefixTokens = 1;
  layers.add(ofClass, 1, 7);
  const Rollout rollout = rollOutGradients(layers.last(), 0);
  Eigen::RowVectorXd expected = layers.entries(1).row(0);
  expected += ((expected + Eigen::RowVectorXd::Unit(7, 0)) * layers.entries(0)).eval();
  ASSERT_EQ(rollout.prefix.size(), 3);
  EXPECT_LT((gainsOf(rollout) - expected.transpose()).norm(), 1e-6 * expected.norm());
}

}  // namespace
}  // namespace softscope
