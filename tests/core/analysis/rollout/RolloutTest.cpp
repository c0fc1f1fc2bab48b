#include "core/Error.h"
#include "core/analysis/GridSampling.h"
#include "core/analysis/rollout/Rollout.h"
#include "core/attention/BlockMap.h"
#include "core/attention/DenseMap.h"
#include "core/attention/FactoredMap.h"
#include "tests/core/ErrorMessage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

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
  void add(std::shared_ptr<const AttentionMap> map) {
    LayerInspection layer;
    layer.name = "layer" + std::to_string(inspection_->layers.size());
    layer.attention = std::move(map);
    inspection_->layers.push_back(layer);
  }
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
    const Rollout rollout = rollOut(layers.last(), token, {});
    EXPECT_LT((all(rollout) - product.row(token).transpose()).norm(), 1e-6) << token;
    EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
    ASSERT_EQ(rollout.layers.size(), 4u);
    EXPECT_EQ(rollout.layers[0].name, "layer0");
    for (const RolloutLayer& layer : rollout.layers) {
      EXPECT_EQ(layer.attentionWeight, 0.5);
      EXPECT_FALSE(layer.divided || layer.byNorms || layer.isSigned());
    }
    EXPECT_EQ(rolloutDeviation(rollout), "");
  }
}

/// Two windows of 2 x 2 on a grid of 2 x 3; half of the second is padding, which takes the share
/// `onPadding` of its queries' weights.
std::shared_ptr<const AttentionMap> paddedWindows(float onPadding) {
  Matrix values = Matrix::Constant(8, 4, 0.25f);
  for (const int row : {4, 6}) values.row(row) << (1 - onPadding) / 2, 0, (1 - onPadding) / 2, 0;
  for (const int row : {4, 6}) values(row, 1) = values(row, 3) = onPadding / 2;
  BlockMap::Blocks blocks{.values = MatrixStack({values}), .count = 2, .queries = 6, .keys = 6};
  blocks.rows = {0, 1, 3, 4, 2, -1, 5, -1};
  blocks.columns = blocks.rows;
  const TokenGrid grid{2, 3};
  return std::make_shared<BlockMap>(
      AttentionDescription{.mechanism = "softmax_window", .queryGrid = grid, .keyGrid = grid},
      blocks);
}

TEST(Rollout, DividesRowsThatLoseWeightsToPadding) {
  LayersBuilder layers;
  layers.add(paddedWindows(0.6f));
  const Rollout inside = rollOut(layers.last(), 1, {});
  EXPECT_NEAR(inside.patches[1], 0.5 + 0.5 / 4, 1e-6);
  EXPECT_EQ(inside.patches[2], 0) << "outside of the window";
  EXPECT_FALSE(inside.layers[0].divided);
  EXPECT_EQ(inside.layers[0].attentionWeight, 0.5);
  const Rollout padded = rollOut(layers.last(), 2, {});
  EXPECT_NEAR(padded.patches[2], 0.5 + 0.5 / 2, 1e-6);
  EXPECT_NEAR(all(padded).sum(), 1, 1e-6) << "nothing is lost";
  EXPECT_TRUE(padded.layers[0].divided);
  EXPECT_EQ(rolloutDeviation(padded), "rows divided by their sums");
}

TEST(Rollout, OfAllPatchesIsTheMeanOfTheirRows) {
  const LayerShape shape{{3, 4}, {3, 4}, 2};
  LayersBuilder layers;
  for (int i = 0; i < 3; ++i) layers.add(shape, randomMaps(shape));
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(14);
  for (int patch = 0; patch < 12; ++patch) {
    mean += all(rollOut(layers.last(), 2 + patch, {})) / 12;
  }
  const Rollout rollout = rollOutPatches(layers.last(), {});
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
  const Rollout rollout = rollOut(layers.last(), 4, {.heads = RolloutHeads::Largest});
  EXPECT_LT((all(rollout) - product.row(4).transpose()).norm(), 1e-6);
}

constexpr RolloutSettings halfEach{.residual = ResidualWeight::Half};

TEST(Rollout, DividesRowsThatDoNotSumToOneByTheirSums) {
  const LayerShape shape{{2, 2}, {2, 2}};
  std::vector<Matrix> maps = randomMaps(shape);
  LayersBuilder layers;
  layers.add(shape, maps);
  for (Matrix& map : maps) map *= 7;
  LayersBuilder scaled;
  scaled.add(shape, maps, "soft");
  const Rollout rollout = rollOut(scaled.last(), 1, halfEach);
  EXPECT_TRUE(rollout.layers[0].divided);
  EXPECT_FALSE(rollout.layers[0].byNorms);
  EXPECT_LT((all(rollout) - all(rollOut(layers.last(), 1, {}))).norm(), 1e-6);
  EXPECT_EQ(rolloutDeviation(rollout), "rows divided by their sums");
}

/// Whatever a mechanism is called, its rows may be shares of one.
TEST(Rollout, OfSharesOfOneIsAsPublished) {
  const LayerShape shape{{2, 3}, {2, 3}, 1};
  LayersBuilder softmax;
  LayersBuilder others;
  for (const char* mechanism : {"performer", "softmax_class", "of a recording"}) {
    const std::vector<Matrix> maps = randomMaps(shape);
    softmax.add(shape, maps);
    others.add(shape, maps, mechanism);
  }
  const Rollout rollout = rollOut(others.last(), 3, {});
  EXPECT_LT((all(rollout) - all(rollOut(softmax.last(), 3, {}))).norm(), 1e-6);
  EXPECT_EQ(rolloutDeviation(rollout), "");
}

/// What each head adds, and the residual stream, of layers `layer0`, `layer1`, ...
SharesOf sharesOf(const std::vector<std::vector<double>>& layers, double residual) {
  auto share = std::make_shared<ModelShare>();
  for (const std::vector<double>& heads : layers) {
    LayerShare layer{.layer = "layer" + std::to_string(share->layers.size()), .mechanism = "soft"};
    double squares = 0;
    for (const double norm : heads) {
      layer.heads.push_back({.projectedNorm = norm});
      squares += norm * norm;
    }
    layer.whole.projectedNorm = std::sqrt(squares);
    layer.residualNorm = residual;
    share->layers.push_back(layer);
  }
  return [share](const AnalysedLayer&) { return share; };
}

std::vector<Matrix> signedMaps(const LayerShape& shape) {
  std::vector<Matrix> heads;
  for (int head = 0; head < shape.heads; ++head) {
    heads.push_back(
        Matrix::Random(shape.prefix + shape.queries.count(), shape.prefix + shape.keys.count()));
  }
  return heads;
}

/// In float64, from the definition.
TEST(Rollout, OfSignedMapsIsOfTheirMagnitudesWeighedByNorms) {
  const LayerShape shape{{3, 3}, {3, 3}, 1};
  const std::vector<std::vector<double>> norms{{0.3, 0.4}, {6, 8}};
  constexpr double residual = 10;
  LayersBuilder layers;
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(10, 10);
  for (const std::vector<double>& norm : norms) {
    const std::vector<Matrix> maps = signedMaps(shape);
    layers.add(shape, maps, "sima");
    Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(10, 10);
    for (std::size_t head = 0; head < 2; ++head) {
      Eigen::MatrixXd magnitudes = maps[head].cwiseAbs().cast<double>();
      for (int row = 0; row < 10; ++row) magnitudes.row(row) /= magnitudes.row(row).sum();
      shares += norm[head] / (norm[0] + norm[1]) * magnitudes;
    }
    const double attention = std::hypot(norm[0], norm[1]);
    const double w = attention / (attention + residual);
    product = (w * shares + (1 - w) * Eigen::MatrixXd::Identity(10, 10)) * product;
  }
  const Rollout rollout = rollOut(layers.last(), 6, {}, sharesOf(norms, residual));
  EXPECT_LT((all(rollout) - product.row(6).transpose()).norm(), 1e-6);
  EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
  EXPECT_NEAR(rollout.layers[0].attentionWeight, 0.5 / 10.5, 1e-12);
  EXPECT_NEAR(rollout.layers[1].attentionWeight, 0.5, 1e-12);
  for (const RolloutLayer& layer : rollout.layers) {
    EXPECT_TRUE(layer.isSigned() && layer.divided && layer.byNorms);
    EXPECT_GT(layer.negativeShare, 0.2);
    EXPECT_LT(layer.negativeShare, 0.8);
    EXPECT_LT(layer.leastSum, 1);
  }
  EXPECT_THAT(rolloutDeviation(rollout), HasSubstr("magnitudes in place of signed weights"));
  EXPECT_THAT(rolloutDeviation(rollout), HasSubstr("attention counts for 0.048 to 0.5 beside"));
}

std::vector<double> ranksOf(const Eigen::VectorXd& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    ranks.push_back(static_cast<double>((values.array() < value).count()));
  }
  return ranks;
}

/// Spearman's.
double rankCorrelation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const std::vector<double> ranksA = ranksOf(a);
  const std::vector<double> ranksB = ranksOf(b);
  Eigen::ArrayXd x = Eigen::Map<const Eigen::ArrayXd>(ranksA.data(), a.size());
  Eigen::ArrayXd y = Eigen::Map<const Eigen::ArrayXd>(ranksB.data(), b.size());
  x -= x.mean();
  y -= y.mean();
  return (x * y).sum() / std::sqrt(x.square().sum() * y.square().sum());
}

/// Rows whose sums are a ten-thousandth of their l1 norms: divided by these, noise of one percent
/// would be a hundred times what it is added to.
TEST(Rollout, OfRowsThatCancelStandsNoise) {
  const LayerShape shape{{6, 6}, {6, 6}, 0, 1};
  LayersBuilder clean;
  LayersBuilder noisy;
  for (int i = 0; i < 4; ++i) {
    Matrix map = signedMaps(shape)[0];
    for (Eigen::Index row = 0; row < 36; ++row) {
      map.row(row).array() -= map.row(row).mean();
      map(row, 0) += 1e-4f * map.row(row).cwiseAbs().sum();
    }
    clean.add(shape, {map}, "sima");
    noisy.add(shape, {map.array() * (1 + 0.01f * Matrix::Random(36, 36).array())}, "sima");
  }
  const SharesOf shares = sharesOf({{1}, {1}, {1}, {1}}, 1);
  const Rollout before = rollOut(clean.last(), 20, {}, shares);
  const Rollout after = rollOut(noisy.last(), 20, {}, shares);
  EXPECT_LT(before.layers[0].leastSum, 3e-4);
  EXPECT_GT(rankCorrelation(all(before), all(after)), 0.98);
}

/// Sums of 1e-8 are not made as much as the residual stream.
TEST(Rollout, AttentionThatAddsNothingMovesNothing) {
  const LayerShape shape{{2, 3}, {2, 3}};
  LayersBuilder layers;
  for (int i = 0; i < 3; ++i) {
    std::vector<Matrix> maps = randomMaps(shape);
    for (Matrix& map : maps) map *= 1e-8f;
    layers.add(shape, maps, "soft");
  }
  const Rollout rollout =
      rollOut(layers.last(), 4, {}, sharesOf({{1e-7, 0}, {0, 1e-7}, {0, 0}}, 1));
  EXPECT_NEAR(rollout.patches[4], 1, 1e-6);
  EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
}

TEST(Rollout, HeadsThatAddNothingSayNothing) {
  const LayerShape shape{{2, 3}, {2, 3}};
  std::vector<Matrix> maps = signedMaps(shape);
  LayersBuilder both;
  both.add(shape, maps, "sima");
  const Rollout rollout = rollOut(both.last(), 2, {}, sharesOf({{0, 3}}, 3));
  LayersBuilder second;
  second.add({shape.queries, shape.keys, 0, 1}, {maps[1]}, "sima");
  const Rollout alone = rollOut(second.last(), 2, {}, sharesOf({{3}}, 3));
  EXPECT_LT((all(rollout) - all(alone)).norm(), 1e-6);
}

TEST(Rollout, OfTheLargestMagnitudeOverHeads) {
  const LayerShape shape{{2, 2}, {2, 2}};
  const std::vector<Matrix> maps = signedMaps(shape);
  LayersBuilder layers;
  layers.add(shape, maps, "sima");
  Eigen::MatrixXd largest = maps[0].cwiseAbs().cwiseMax(maps[1].cwiseAbs()).cast<double>();
  largest.row(3) /= largest.row(3).sum();
  const Rollout rollout =
      rollOut(layers.last(), 3, {.heads = RolloutHeads::Largest}, sharesOf({{3, 4}}, 15));
  const Eigen::VectorXd expected =
      0.25 * largest.row(3).transpose() + 0.75 * Eigen::VectorXd::Unit(4, 3);
  EXPECT_LT((all(rollout) - expected).norm(), 1e-6);
}

TEST(Rollout, OfASoftmaxMayBeWeighedByNorms) {
  const LayerShape shape{{2, 2}, {2, 2}};
  const std::vector<Matrix> maps = randomMaps(shape);
  LayersBuilder layers;
  layers.add(shape, maps);
  const Rollout rollout =
      rollOut(layers.last(), 1, {.residual = ResidualWeight::Norms}, sharesOf({{3, 4}}, 15));
  const Eigen::VectorXd expected =
      0.25 * (3 * maps[0] + 4 * maps[1]).cast<double>().row(1).transpose() / 7 +
      0.75 * Eigen::VectorXd::Unit(4, 1);
  EXPECT_LT((all(rollout) - expected).norm(), 1e-6);
  EXPECT_EQ(rolloutDeviation(rollout),
            "attention counts for 0.25 beside the residual stream, by norms, instead of 1/2");
}

/// A query whose weights are all zero gets nothing, and stays what it was.
TEST(Rollout, RowsThatAttendToNothingKeepTheirToken) {
  const LayerShape shape{{1, 3}, {1, 3}, 0, 1};
  Matrix map = randomMaps(shape)[0];
  map.row(1).setZero();
  LayersBuilder layers;
  layers.add(shape, {map}, "litemla");
  const Rollout rollout = rollOut(layers.last(), 1, {}, sharesOf({{1}}, 1));
  EXPECT_NEAR(rollout.patches[1], 1, 1e-6);
  const Rollout other = rollOut(layers.last(), 0, halfEach);
  EXPECT_NEAR(all(other).sum(), 1, 1e-6);
}

/// Factors that are not negative are multiplied without forming a row.
TEST(Rollout, OfFactorsIsThatOfTheirProduct) {
  const TokenGrid grid{4, 5};
  Matrix left = Matrix::Random(20, 3).cwiseAbs();
  left.row(7).setZero();
  for (const bool isSigned : {false, true}) {
    Matrix right = Matrix::Random(20, 3).cwiseAbs();
    if (isSigned) right.col(1) *= -1;
    AttentionDescription description;
    description.mechanism = "elu";
    description.queryGrid = description.keyGrid = grid;
    auto inspection = std::make_shared<Inspection>();
    LayersBuilder dense;
    for (int i = 0; i < 2; ++i) {
      LayerInspection layer;
      layer.name = "layer" + std::to_string(i);
      layer.attention = std::make_shared<FactoredMap>(description, MatrixStack({left}),
                                                      MatrixStack(), MatrixStack({right}));
      inspection->layers.push_back(layer);
      dense.add({grid, grid, 0, 1}, {left * right.transpose()}, "elu");
    }
    const SharesOf shares = sharesOf({{1}, {2}}, 3);
    const AnalysedLayer last{"model", "", inspection, 1, {0, 0, 1, 1}};
    for (const int token : {7, 12}) {
      const Rollout rollout = rollOut(last, token, {}, shares);
      EXPECT_LT((all(rollout) - all(rollOut(dense.last(), token, {}, shares))).norm(), 1e-6);
      EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
      // The token whose row is zero goes through no other row.
      EXPECT_EQ(rollout.layers[0].isSigned(), isSigned && token != 7);
    }
  }
}

std::string refusal(const LayersBuilder& layers, const RolloutSettings& settings,
                    const SharesOf& shares) {
  return test::messageOf<InspectionError>([&] { rollOut(layers.last(), 0, settings, shares); });
}

TEST(Rollout, SignedMapsCanBeRefused) {
  const LayerShape shape{{1, 2}, {1, 2}, 0, 1};
  Matrix map(2, 2);
  map << 3, -1, 0.5f, 0.5f;
  LayersBuilder layers;
  layers.add(shape, {map}, "sima");
  EXPECT_THAT(refusal(layers, {.signedMaps = SignedMaps::Refuse}, sharesOf({{1}}, 1)),
              ::testing::StartsWith("layer0: 25 % of its weights are negative"));
  LayersBuilder positive;
  positive.add(shape, {map.cwiseAbs()}, "elu");
  EXPECT_EQ(refusal(positive, {.signedMaps = SignedMaps::Refuse}, sharesOf({{1}}, 1)), "");
}

TEST(Rollout, NeedsNormsWhereRowsAreNoSharesAndSaysSo) {
  const LayerShape shape{{2, 2}, {2, 2}, 0, 1};
  LayersBuilder layers;
  layers.add(shape, signedMaps(shape), "sima");
  const SharesOf none = [](const AnalysedLayer&) { return nullptr; };
  for (const SharesOf& shares : {SharesOf(), none, sharesOf({}, 1)}) {
    EXPECT_THAT(refusal(layers, {}, shares), HasSubstr("layer0: attention and residual stream"));
    EXPECT_EQ(refusal(layers, halfEach, shares), "");
  }
  EXPECT_THAT(refusal(layers, {}, sharesOf({{std::numeric_limits<double>::quiet_NaN()}}, 1)),
              HasSubstr("not finite"));
  EXPECT_TRUE(mayNeedShares(layers.last(), {}));
  EXPECT_FALSE(mayNeedShares(layers.last(), halfEach));
  LayersBuilder softmax;
  softmax.add(shape, randomMaps(shape));
  EXPECT_FALSE(mayNeedShares(softmax.last(), {}));
  EXPECT_TRUE(mayNeedShares(softmax.last(), {.residual = ResidualWeight::Norms}));
}

TEST(Rollout, RefusesWeightsThatAreNoNumbers) {
  const LayerShape shape{{1, 2}, {1, 2}, 0, 1};
  Matrix map = Matrix::Ones(2, 2);
  map(0, 1) = std::numeric_limits<float>::infinity();
  LayersBuilder layers;
  layers.add(shape, {map}, "sima");
  EXPECT_THAT(refusal(layers, halfEach, {}),
              HasSubstr("layer0: some of its weights are not finite"));
}

TEST(Rollout, ArraysSayWhatWasDone) {
  const LayerShape shape{{2, 2}, {2, 2}, 0, 1};
  LayersBuilder layers;
  layers.add(shape, randomMaps(shape));
  layers.add(shape, signedMaps(shape), "sima");
  const Picture* none = nullptr;
  const NamedArrays arrays = rolloutArrays(
      computeRollouts({{layers.last()}}, {}, none, {PictureQuery()}, sharesOf({{1}, {1}}, 3)));
  std::map<std::string, FloatArray> found(arrays.begin(), arrays.end());
  EXPECT_THAT(found["model.layer1.rollout_attention_weight"].values,
              ::testing::ElementsAre(0.5f, 0.25f));
  EXPECT_EQ(found["model.layer1.rollout_negative_share"].values[0], 0);
  EXPECT_GT(found["model.layer1.rollout_negative_share"].values[1], 0);
  EXPECT_EQ(found["model.layer1.rollout_least_sum"].values[0], 1);
  EXPECT_LT(found["model.layer1.rollout_least_sum"].values[1], 1);
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
  const Rollout rollout = rollOut(layers.last(), 2, {});
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

/// A learned query that sees `prefix` single tokens and patches.
void addPool(LayersBuilder& layers, const TokenGrid& keys, const std::vector<Matrix>& maps) {
  AttentionDescription pool;
  pool.mechanism = "softmax_pool";
  pool.keyGrid = keys;
  layers.add(std::make_shared<DenseMap>(pool, MatrixStack(maps)));
}

/// One query over `keys` tokens, whose weights sum to one in each of two heads.
std::vector<Matrix> singleRows(int keys) {
  std::vector<Matrix> rows(2, Matrix::Random(1, keys).cwiseAbs());
  for (Matrix& row : rows) row /= row.sum();
  return rows;
}

// It has no residual stream. What it sees of registers goes on through these, as does what patches
// below give to registers that it does not see.
TEST(Rollout, OfALearnedQueryIsAllOfWhatItSees) {
  const std::vector<std::pair<int, int>> prefixes{{0, 0}, {2, 2}, {0, 2}};
  for (const auto& [ofPool, prefix] : prefixes) {
    const LayerShape shape{{2, 3}, {2, 3}, prefix};
    const int tokens = prefix + 6;
    LayersBuilder layers;
    const std::vector<Matrix> first = randomMaps(shape);
    const std::vector<Matrix> second = randomMaps(shape);
    layers.add(shape, first);
    layers.add(shape, second);
    const std::vector<Matrix> seen = singleRows(ofPool + 6);
    addPool(layers, {2, 3}, seen);
    const Rollout rollout = rollOut(layers.last(), 0, {});
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(tokens, tokens);
    Eigen::RowVectorXd expected = Eigen::RowVectorXd::Zero(tokens);
    expected.tail(ofPool + 6) = meanOf(seen);
    expected *= (meanOf(second) + identity) / 2 * (meanOf(first) + identity) / 2;
    ASSERT_EQ(all(rollout).size(), tokens);
    EXPECT_LT((all(rollout) - expected.transpose()).norm(), 1e-6) << ofPool << " of " << prefix;
    EXPECT_NEAR(all(rollout).sum(), 1, 1e-6);
    EXPECT_EQ(rollout.layers.back().attentionWeight, 1);
  }
}

AttentionDescription classQuery(const TokenGrid& keys) {
  return {.mechanism = "softmax_class", .keyGrid = keys, .prefixTokens = 1};
}

TEST(Rollout, FollowsAllSingleTokensThatAClassQuerySees) {
  const LayerShape shape{{2, 2}, {2, 2}, 3};
  const std::vector<Matrix> maps = randomMaps(shape);
  LayersBuilder layers;
  layers.add(shape, maps);
  const std::vector<Matrix> seen = singleRows(7);
  layers.add(std::make_shared<DenseMap>(classQuery({2, 2}), MatrixStack(seen)));
  const Rollout rollout = rollOut(layers.last(), 0, {});
  const Eigen::RowVectorXd before = (meanOf(seen) + Eigen::RowVectorXd::Unit(7, 0)) / 2;
  const Eigen::RowVectorXd expected = before * (meanOf(maps) + Eigen::MatrixXd::Identity(7, 7)) / 2;
  ASSERT_EQ(rollout.prefix.size(), 3);
  EXPECT_LT((all(rollout) - expected.transpose()).norm(), 1e-6);
}

// The token behind the patches comes after the others in the flow.
TEST(Rollout, KeepsTokensBehindThePatchesApartThatAClassQuerySees) {
  AttentionDescription ofClass = classQuery({1, 2});
  ofClass.suffixTokens = 1;
  LayersBuilder layers;
  layers.add(std::make_shared<DenseMap>(ofClass, MatrixStack({Matrix{{0.1f, 0.2f, 0.3f, 0.4f}}})));
  const Eigen::Vector4d expected(0.55, 0.2, 0.1, 0.15);
  EXPECT_LT((all(rollOut(layers.last(), 0, {})) - expected).norm(), 1e-6);
}

TEST(Rollout, KeepsWhatPatchesGiveToAKeyThatIsNoQuery) {
  const TokenGrid grid{1, 2};
  LayersBuilder layers;
  layers.add(std::make_shared<DenseMap>(
      AttentionDescription{.mechanism = "softmax", .queryGrid = grid, .keyGrid = grid},
      MatrixStack({Matrix{{0.5f, 0.25f, 0.25f}, {0.2f, 0.3f, 0.5f}}})));
  const Eigen::Vector3d expected(0.1, 0.15, 0.75);
  EXPECT_LT((all(rollOut(layers.last(), 1, {})) - expected).norm(), 1e-6);
}

template <typename Failure>
std::shared_ptr<const ModelShare> failingShares(const AnalysedLayer&) {
  throw Failure("not the layer's");
}

TEST(Rollout, AFaultOfTheDeviceAndALackOfMemoryAreNoneOfTheLayer) {
  const LayerShape shape{{2, 2}, {2, 2}, 0, 1};
  LayersBuilder layers;
  layers.add(shape, signedMaps(shape), "sima");
  const auto computeWith = [&](const SharesOf& shares) {
    return computeRollouts({{layers.last()}}, {}, nullptr, {PictureQuery()}, shares);
  };
  EXPECT_THROW(rollOut(layers.last(), 0, {}, failingShares<ComputeError>), ComputeError);
  EXPECT_THROW(computeWith(failingShares<ComputeError>), ComputeError);
  EXPECT_THROW(computeWith(failingShares<MemoryError>), MemoryError);
  EXPECT_EQ(computeWith(failingShares<InspectionError>)[0].obstacle, "layer0: not the layer's");
}

}  // namespace
}  // namespace softscope
