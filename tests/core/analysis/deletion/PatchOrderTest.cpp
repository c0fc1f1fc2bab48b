#include "core/analysis/GridSampling.h"
#include "core/analysis/deletion/PatchOrder.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/DenseMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// Random entries whose rows sum to one.
std::vector<Matrix> scoredMaps(int heads, int queries, int keys) {
  std::vector<Matrix> maps;
  for (int head = 0; head < heads; ++head) {
    Matrix map = Matrix::Random(queries, keys).cwiseAbs();
    for (Eigen::Index row = 0; row < map.rows(); ++row) map.row(row) /= map.row(row).sum();
    maps.push_back(map);
  }
  return maps;
}

struct ScoredLayers {
  std::shared_ptr<Inspection> inspection = std::make_shared<Inspection>();

  void add(const std::string& name, AttentionDescription description,
           const std::vector<Matrix>& maps) {
    description.mechanism = description.mechanism.empty() ? "softmax" : description.mechanism;
    LayerInspection layer;
    layer.name = name;
    layer.attention = std::make_shared<DenseMap>(description, MatrixStack(maps));
    layer.queryL1 = Matrix::Random(maps.front().rows() > 0 ? 2 : 0, maps.front().rows()).cwiseAbs();
    layer.keyL1 = Matrix::Random(2, maps.front().cols()).cwiseAbs();
    inspection->layers.push_back(layer);
  }
  AnalysedLayer at(std::size_t index) const { return {"model", "", inspection, index, {}}; }
};

const PatchScores& find(const std::vector<PatchScores>& all, PatchOrderSource of) {
  for (const PatchScores& scores : all) {
    if (scores.of == of) return scores;
  }
  throw std::runtime_error("there is no such order");
}

AttentionDescription onGrid(const TokenGrid& grid, int prefix) {
  AttentionDescription description;
  description.queryGrid = grid;
  description.keyGrid = grid;
  description.prefixTokens = prefix;
  return description;
}

TEST(PatchScores, AreWhatEachMapSaysOfThePatches) {
  const TokenGrid grid{2, 3};
  ScoredLayers layers;
  layers.add("first", onGrid(grid, 1), scoredMaps(2, 7, 7));
  const std::vector<Matrix> maps = scoredMaps(2, 7, 7);
  layers.add("second", onGrid(grid, 1), maps);
  const auto scores = patchScores({layers.at(0), layers.at(1)}, grid, {});
  ASSERT_EQ(scores.size(), 2u * 2 + 1 + 1 + 2);

  const LayerInspection& first = layers.inspection->layers[0];
  EXPECT_EQ(scores[0].layer, "first");
  EXPECT_TRUE(scores[0].values.isApprox(
      first.queryL1.rightCols(6).colwise().sum().transpose().cast<double>(), 1e-6));
  EXPECT_EQ(scores[1].of, PatchOrderSource::KeySaliency);
  EXPECT_TRUE(scores[1].values.isApprox(
      first.keyL1.rightCols(6).colwise().sum().transpose().cast<double>(), 1e-6));

  const Eigen::MatrixXd mean = (maps[0].cast<double>() + maps[1].cast<double>()) / 2;
  const PatchScores& ofClass = find(scores, PatchOrderSource::ClassAttention);
  EXPECT_EQ(ofClass.layer, "second") << "the last one";
  EXPECT_TRUE(ofClass.values.isApprox(mean.row(0).tail(6).transpose(), 1e-6));
  EXPECT_EQ(scores.back().layer, "second");
  EXPECT_EQ(scores.back().of, PatchOrderSource::Received);
  EXPECT_TRUE(scores.back().values.isApprox(mean.colwise().mean().tail(6).transpose(), 1e-6));

  const Rollout rollout = rollOut(layers.at(1), 0, {});
  EXPECT_EQ(find(scores, PatchOrderSource::Rollout).values, rollout.patches.cast<double>());
}

TEST(PatchScores, AreSharedOutByAreaToOtherGrids) {
  const TokenGrid grid{2, 2};
  ScoredLayers layers;
  layers.add("only", onGrid(grid, 0), scoredMaps(1, 4, 4));
  const auto coarse = patchScores({layers.at(0)}, grid, {});
  const auto fine = patchScores({layers.at(0)}, {4, 4}, {});
  const Eigen::VectorXd& values = find(fine, PatchOrderSource::KeySaliency).values;
  ASSERT_EQ(values.size(), 16);
  for (int i = 0; i < 16; ++i) {
    const int from = i / 8 * 2 + i % 4 / 2;
    EXPECT_NEAR(values[i], find(coarse, PatchOrderSource::KeySaliency).values[from] / 4, 1e-12);
  }
}

/// Where no token stands for the answer, networks average what their patches become.
TEST(PatchScores, WithoutAClassTokenTheAnswerIsTheMeanOfThePatches) {
  const TokenGrid grid{2, 2};
  ScoredLayers layers;
  layers.add("first", onGrid(grid, 0), scoredMaps(2, 4, 4));
  layers.add("last", onGrid(grid, 0), scoredMaps(2, 4, 4));
  const auto scores = patchScores({layers.at(0)}, grid, {});
  const PatchScores& rolled = find(scores, PatchOrderSource::Rollout);
  EXPECT_EQ(rolled.layer, "last");
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(4);
  for (int token = 0; token < 4; ++token) {
    mean += rollOut(layers.at(1), token, {}).patches.cast<double>() / 4;
  }
  EXPECT_TRUE(rolled.values.isApprox(mean, 1e-6));
  EXPECT_THAT(find(scores, PatchOrderSource::ClassAttention).obstacle, HasSubstr("no class token"));
}

TEST(PatchScores, RegistersAreNoClassToken) {
  ScoredLayers layers;
  AttentionDescription description = onGrid({2, 2}, 1);
  description.prefixNames = {"register 1"};
  layers.add("only", description, scoredMaps(1, 5, 5));
  EXPECT_THAT(
      find(patchScores({layers.at(0)}, {2, 2}, {}), PatchOrderSource::ClassAttention).obstacle,
      HasSubstr("no class token"));
}

TEST(PatchScores, AClassTokenMayAskInALayerOfItsOwn) {
  ScoredLayers layers;
  layers.add("patches", onGrid({2, 2}, 0), scoredMaps(2, 4, 4));
  AttentionDescription description;
  description.mechanism = "softmax_class";
  description.keyGrid = TokenGrid{2, 2};
  description.prefixTokens = 1;
  const std::vector<Matrix> maps = scoredMaps(2, 1, 5);
  layers.add("class", description, maps);
  const auto scores = patchScores({layers.at(0)}, {2, 2}, {});
  const PatchScores& ofClass = find(scores, PatchOrderSource::ClassAttention);
  EXPECT_EQ(ofClass.layer, "class");
  EXPECT_TRUE(ofClass.values.isApprox(
      ((maps[0] + maps[1]) / 2).cast<double>().row(0).tail(4).transpose(), 1e-6));
  EXPECT_EQ(find(scores, PatchOrderSource::Rollout).layer, "class");
}

TEST(PatchScores, ChannelsAreNoPatches) {
  ScoredLayers layers;
  AttentionDescription description;
  description.mechanism = "xca_channel";
  layers.add("channels", description, scoredMaps(2, 6, 6));
  const std::vector<PatchScores> all = patchScores({layers.at(0)}, {2, 2}, {});
  ASSERT_FALSE(all.empty());
  for (const PatchScores& scores : all) {
    EXPECT_FALSE(scores.obstacle.empty()) << orderName(scores.of);
  }
}

TEST(PatchScores, OfKeysThatAreTheQueriesAreOne) {
  ScoredLayers layers;
  layers.add("only", onGrid({2, 2}, 0), scoredMaps(2, 4, 4));
  layers.inspection->layers[0].keyL1 = layers.inspection->layers[0].queryL1;
  const auto scores = patchScores({layers.at(0)}, {2, 2},
                                  {.classAttention = false, .rollout = false, .received = false});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_TRUE(scores[0].ofQueriesAndKeys);
  EXPECT_TRUE(
      patchScores({layers.at(0)}, {2, 2},
                  {.saliency = false, .classAttention = false, .rollout = false, .received = false})
          .empty());
}

TEST(PatchScores, HaveNoPatchesOfThePictureIfTokensLieOnZerosAroundIt) {
  ScoredLayers layers;
  layers.add("block", onGrid({4, 4}, 0), scoredMaps(2, 16, 16));
  layers.inspection->inputHeight = 56;
  layers.inspection->inputWidth = 56;
  layers.inspection->seen = PictureRegion{-4, -4, 64, 64};
  DeletionSettings settings;
  settings.received = true;
  for (const PatchScores& scores : patchScores({layers.at(0)}, {4, 4}, settings)) {
    EXPECT_THAT(scores.obstacle, HasSubstr("puts zeros around this picture"));
  }
  layers.inspection->seen = PictureRegion{0, 0, 56, 56};
  EXPECT_EQ(
      find(patchScores({layers.at(0)}, {4, 4}, settings), PatchOrderSource::Received).obstacle, "");
}

TEST(PatchScores, OfClassMapsAreWhatSpeaksForTheClass) {
  ClassMap map{.method = ClassMethod::GradCam, .layer = "block", .grid = {1, 2}};
  map.patches = Vector(2);
  map.patches << -1, 3;
  const std::vector<PatchScores> scores = patchScores(
      {.maps = {map, {.method = ClassMethod::LeGrad, .obstacle = "none"}}}, {1, 4}, Inspection());
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(orderName(scores[0].of), "grad_cam");
  EXPECT_EQ(scores[0].layer, "block");
  EXPECT_EQ(scores[0].values, Eigen::Vector4d(-0.5, -0.5, 1.5, 1.5));
  EXPECT_EQ(orderName(scores[1].of), "legrad");
  EXPECT_EQ(scores[1].obstacle, "none");
}

TEST(PatchScores, OfClassMapsAreNoneIfTokensLieOnZerosAroundThePicture) {
  ClassMaps maps;
  for (const ClassMethod method : methodsOf(ClassMethod::All)) {
    maps.maps.push_back({.method = method, .grid = {1, 2}, .patches = Vector::Ones(2)});
  }
  Inspection inspection{.inputHeight = 4, .inputWidth = 8};
  for (const PatchScores& scores : patchScores(maps, {1, 2}, inspection)) {
    EXPECT_EQ(scores.obstacle, "") << orderName(scores.of);
  }
  inspection.seen = PictureRegion{-1, -1, 10, 6};
  const auto scores = patchScores(maps, {1, 2}, inspection);
  EXPECT_EQ(scores.size(), 5u);
  for (const PatchScores& of : scores) {
    EXPECT_THAT(of.obstacle, HasSubstr("puts zeros around this picture")) << orderName(of.of);
  }
}

// A pool's learned query is where the answer is read, and no class token.
TEST(PatchScores, OfAPoolHaveARolloutButNoClassAttention) {
  ScoredLayers layers;
  layers.add("patches", onGrid({2, 2}, 0), scoredMaps(2, 4, 4));
  AttentionDescription pool;
  pool.mechanism = "softmax_pool";
  pool.keyGrid = TokenGrid{2, 2};
  layers.add("pool", pool, scoredMaps(2, 1, 4));
  const auto scores = patchScores({layers.at(0)}, {2, 2}, {});
  const PatchScores& ofClass = find(scores, PatchOrderSource::ClassAttention);
  EXPECT_EQ(ofClass.layer, "");
  EXPECT_THAT(ofClass.obstacle, HasSubstr("no class token"));
  const PatchScores& rolled = find(scores, PatchOrderSource::Rollout);
  EXPECT_EQ(rolled.layer, "pool");
  EXPECT_EQ(rolled.obstacle, "");
  EXPECT_EQ(rolled.values, rollOut(layers.at(1), 0, {}).patches.cast<double>());
}

TEST(PatchScores, AreTheSameWhereverTheClassTokenStands) {
  const TokenGrid grid{2, 3};
  const std::vector<Matrix> maps = scoredMaps(2, 7, 7);
  std::vector<Matrix> moved;
  for (const Matrix& map : maps) moved.push_back(test::withClassTokenLast(map));
  AttentionDescription behind = onGrid(grid, 0);
  behind.suffixTokens = 1;
  ScoredLayers first;
  first.add("layer", onGrid(grid, 1), maps);
  ScoredLayers last;
  last.add("layer", behind, moved);
  const auto expected = patchScores({first.at(0)}, grid, {});
  const auto scores = patchScores({last.at(0)}, grid, {});
  for (const auto of : {PatchOrderSource::Received, PatchOrderSource::ClassAttention}) {
    const Eigen::VectorXd& values = find(scores, of).values;
    ASSERT_EQ(values.size(), grid.count()) << find(scores, of).obstacle;
    EXPECT_TRUE(values.isApprox(find(expected, of).values, 1e-6)) << orderName(of);
  }
}

}  // namespace

namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

TEST(PatchOrder, GoesFromTheLargestScoreToTheSmallest) {
  EXPECT_THAT(patchOrder(Eigen::VectorXd{{0.1, -3, 7, 0.2}}, 0), ElementsAre(2, 3, 0, 1));
}

TEST(PatchOrder, OfAMapThatSaysNothingIsTheOneAtRandom) {
  for (const std::uint32_t seed : {0u, 5u}) {
    EXPECT_EQ(patchOrder(Eigen::VectorXd::Constant(50, 3.5), seed), randomPatchOrder(50, seed));
  }
}

TEST(PatchOrder, TiesStandAsInTheOneAtRandom) {
  Eigen::VectorXd scores = Eigen::VectorXd::Zero(20);
  scores.tail(10).setOnes();
  const std::vector<int> order = patchOrder(scores, 9);
  std::vector<int> expected;
  for (const bool high : {true, false}) {
    for (const int patch : randomPatchOrder(20, 9)) {
      if ((patch >= 10) == high) expected.push_back(patch);
    }
  }
  EXPECT_EQ(order, expected);
}

TEST(PatchOrder, WhatIsNoNumberComesLast) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(patchOrder(Eigen::VectorXd{{none, -1, 5}}, 0).back(), 0);
}

/// What NumPy's MT19937 with that seed gives, its words taken modulo the patches that are left.
TEST(RandomPatchOrder, IsThatOfItsSeedOnEveryMachine) {
  EXPECT_THAT(randomPatchOrder(8, 7), ElementsAre(2, 4, 0, 3, 5, 1, 6, 7));
  EXPECT_NE(randomPatchOrder(50, 1), randomPatchOrder(50, 2));
  EXPECT_EQ(randomPatchOrder(50, 1), randomPatchOrder(50, 1));
  EXPECT_TRUE(randomPatchOrder(0, 1).empty());
}

TEST(RandomPatchOrder, ChoosesEvenlyAmongAllOrders) {
  std::map<std::vector<int>, int> counts;
  constexpr int draws = 12000;
  for (std::uint32_t seed = 0; seed < draws; ++seed) ++counts[randomPatchOrder(4, seed)];
  ASSERT_EQ(counts.size(), 24u);
  for (const auto& [order, count] : counts) {
    EXPECT_THAT(order, UnorderedElementsAre(0, 1, 2, 3));
    // Six standard deviations.
    EXPECT_NEAR(count, draws / 24, 6 * 22);
  }
}

/// Two rows of three pixels with the values 0, 7, 14, ..., as a network with these means and
/// deviations is fed them.
InputTensor fedPixels(const InputTransform& transform) {
  InputTensor input{2, 3, {}};
  for (int i = 0; i < 18; ++i) {
    const auto channel = static_cast<std::size_t>(i / 6);
    input.values.push_back((static_cast<float>(7 * i % 256) / 255 - transform.mean[channel]) /
                           transform.deviation[channel]);
  }
  return input;
}

/// Python: hashlib.sha256(b"2x3:" + bytes(7 * i % 256 for i in range(18))).hexdigest()
TEST(PictureIdentity, IsOfTheColoursWhateverMeansTheyAreFedWith) {
  InputTransform other;
  other.mean = {0.5f, 0.5f, 0.5f};
  other.deviation = {0.5f, 0.5f, 0.5f};
  const std::string identity = "b7e804a810e2ccfc8fedaeedddf60899c96383da7f064ee51ec3f1a5e3bc7db1";
  EXPECT_EQ(pictureIdentity(fedPixels({}), {}), identity);
  EXPECT_EQ(pictureIdentity(fedPixels(other), other), identity);
}

TEST(PictureIdentity, IsNoOtherPictures) {
  const std::string identity = pictureIdentity(fedPixels({}), {});
  InputTensor changed = fedPixels({});
  changed.values[7] += 0.02f;
  EXPECT_NE(pictureIdentity(changed, {}), identity);
  InputTensor turned = fedPixels({});
  std::swap(turned.height, turned.width);
  EXPECT_NE(pictureIdentity(turned, {}), identity);
  InputTensor none = fedPixels({});
  none.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(pictureIdentity(none, {}), identity) << "its first value is 0";
}

/// Python: int(hashlib.sha256(f"{identity}:{number}".encode()).hexdigest()[:8], 16)
TEST(OrderSeed, IsTheFirstBitsOfAChecksum) {
  const std::string identity = pictureIdentity(fedPixels({}), {});
  EXPECT_EQ(orderSeed(identity, tieOrderNumber), 3234592493u);
  EXPECT_EQ(orderSeed(identity, 1), 16945544u);
  EXPECT_EQ(orderSeed(identity, 20), 607552075u);
  EXPECT_THAT(randomPatchOrder(8, orderSeed(identity, 1)), ElementsAre(0, 2, 3, 7, 4, 5, 6, 1));
}

}  // namespace
}  // namespace softscope
