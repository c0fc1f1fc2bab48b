#include "core/Error.h"
#include "core/analysis/AttentionSpread.h"
#include "core/analysis/spectrum/EigenvalueBound.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/analysis/spectrum/Spectrum.h"
#include "core/attention/BlockMap.h"
#include "core/query/AttentionValues.h"
#include "tests/core/analysis/Reference.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomMatrix;
using test::randomStack;
using test::relativeDifference;

constexpr int blockHeads = 2;

struct BlockSizes {
  const char* name;
  int queries;
  int keys;
  int count;
  int rows;
  int columns;
  /// True if a key may stand in several blocks.
  bool overlaps = false;
};

void PrintTo(const BlockSizes& sizes, std::ostream* out) {
  *out << sizes.name;
}

/// Returns the tokens in random order, filled up with padding.
std::vector<int> shuffledTokens(int tokens, int places, unsigned seed) {
  std::vector<int> all(static_cast<std::size_t>(places), -1);
  for (int i = 0; i < std::min(tokens, places); ++i) all[static_cast<std::size_t>(i)] = i;
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  return all;
}

/// Each block has keys of its own choice.
std::vector<int> overlappingKeys(const BlockSizes& sizes) {
  std::vector<int> all;
  for (int block = 0; block < sizes.count; ++block) {
    std::vector<int> keys = shuffledTokens(sizes.keys, sizes.keys, static_cast<unsigned>(block));
    all.insert(all.end(), keys.begin(), keys.begin() + sizes.columns);
  }
  return all;
}

BlockMap::Blocks blocksOf(const BlockSizes& sizes) {
  const int places = sizes.count * sizes.columns;
  return {
      .values = randomStack(blockHeads, sizes.count * sizes.rows, sizes.columns, 3),
      .rows = shuffledTokens(sizes.queries, sizes.count * sizes.rows, 5),
      .columns = sizes.overlaps ? overlappingKeys(sizes) : shuffledTokens(sizes.keys, places, 7),
      .count = sizes.count,
      .queries = sizes.queries,
      .keys = sizes.keys};
}

/// Puts every entry in its place, one by one.
Eigen::MatrixXd wholeOf(const BlockMap::Blocks& blocks, int head) {
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(blocks.queries, blocks.keys);
  const int height = blocks.values.rows() / blocks.count;
  const int width = blocks.values.columns();
  for (int i = 0; i < blocks.values.rows(); ++i) {
    for (int j = 0; j < width; ++j) {
      const int query = blocks.rows[static_cast<std::size_t>(i)];
      const int key = blocks.columns[static_cast<std::size_t>(i / height * width + j)];
      if (query >= 0 && key >= 0) whole(query, key) = blocks.values[head](i, j);
    }
  }
  return whole;
}

class BlockMapTest : public ::testing::TestWithParam<BlockSizes> {
 protected:
  BlockMapTest()
      : blocks_(blocksOf(GetParam())), map_({}, blocks_), expected_(wholeOf(blocks_, 1)) {}

  BlockMap::Blocks blocks_;
  BlockMap map_;
  Eigen::MatrixXd expected_;
};

TEST_P(BlockMapTest, IsTheWholeMatrix) {
  EXPECT_EQ(map_.description().heads, blockHeads);
  EXPECT_EQ(map_.description().queries, GetParam().queries);
  EXPECT_EQ(map_.description().keys, GetParam().keys);
  EXPECT_EQ(map_.whole(1, 1 << 24).cast<double>(), expected_);
  for (int i = 0; i < GetParam().queries; ++i) {
    EXPECT_EQ(map_.row(1, i).cast<double>(), expected_.row(i).transpose()) << i;
  }
  for (int j = 0; j < GetParam().keys; ++j) {
    EXPECT_EQ(map_.column(1, j).cast<double>(), expected_.col(j)) << j;
  }
  EXPECT_EQ(map_.block(1, 2, 3, 7, 5).cast<double>(), expected_.block(2, 3, 7, 5));
}

TEST_P(BlockMapTest, MultipliesVectors) {
  const Eigen::VectorXd x = randomMatrix(GetParam().keys, 1, 3).cast<double>();
  const Eigen::VectorXd y = randomMatrix(GetParam().queries, 1, 4).cast<double>();
  EXPECT_LT(relativeDifference(map_.times(1, x), expected_ * x), 1e-14);
  EXPECT_LT(relativeDifference(map_.transposedTimes(1, y), expected_.transpose() * y), 1e-14);
  const Progress progress;
  const auto product = mapProduct(map_, 1, 0, progress);
  EXPECT_LT(relativeDifference(product->times(x), expected_ * x), 1e-14);
  EXPECT_LT(relativeDifference(product->transposedTimes(y), expected_.transpose() * y), 1e-14);
}

TEST_P(BlockMapTest, AveragesAreas) {
  EXPECT_LT(relativeDifference(map_.averaged(1, map_.wholePart(), 5, 5),
                               averagedOverAreas(expected_, 5, 5)),
            1e-6);
  const int rows = GetParam().queries - 3;
  const int columns = GetParam().keys - 4;
  const Eigen::MatrixXd cut = expected_.block(1, 2, rows, columns);
  const MatrixPart part{1, 2, rows, columns};
  EXPECT_LT(relativeDifference(map_.averaged(1, part, 4, 3), averagedOverAreas(cut, 4, 3)), 1e-6);
  EXPECT_EQ(map_.averaged(1, part, 9999, 9999).cast<double>(), cut) << "never enlarged";
}

TEST_P(BlockMapTest, TellsWhatLiesOutside) {
  const BlockMap onPicture(
      {.queryGrid = TokenGrid{GetParam().queries, 1}, .keyGrid = TokenGrid{1, GetParam().keys}},
      blocks_);
  for (int i = 0; i < GetParam().queries; ++i) {
    const std::vector<bool> outside = map_.keysOutside(i);
    int inside = 0;
    for (int j = 0; j < GetParam().keys; ++j) {
      // No random number is 0.
      EXPECT_EQ(outside[static_cast<std::size_t>(j)], expected_(i, j) == 0);
      EXPECT_EQ(map_.queriesOutside(j)[static_cast<std::size_t>(i)], expected_(i, j) == 0);
      inside += expected_(i, j) != 0 ? 1 : 0;
    }
    EXPECT_EQ(map_.keysInside(i), inside);
    EXPECT_LE(inside, map_.mostKeysInside());
    const AttentionValues row = attentionValues(onPicture, 1, i, Direction::Rows);
    EXPECT_EQ(row.outside, outside);
    EXPECT_EQ(row.inside().size(), inside);
  }
  EXPECT_EQ(map_.isPadded(), std::ranges::count(blocks_.columns, -1) > 0);
}

TEST_P(BlockMapTest, HasTheSpectrumOfTheWholeMatrix) {
  const Spectrum spectrum = attentionSpectrum(map_, 1);
  const std::vector<double> expected = test::denseSingularValues(expected_);
  std::vector<double> found = spectrum.singularValues.values;
  EXPECT_TRUE(spectrum.singularValues.all && spectrum.singularValues.converged());
  EXPECT_TRUE(std::ranges::is_sorted(found, std::greater<>()));
  found.resize(expected.size(), 0);
  EXPECT_LT(test::spectrumDifference(found, expected), 1e-9);
  const auto all = allSingularValues(map_, 1);
  ASSERT_TRUE(all.has_value());
  EXPECT_LT(test::spectrumDifference(all->values, expected), 1e-9);
  EXPECT_NEAR(largestSingularValue(map_, 1), expected.front(), 1e-5 * expected.front());
  ASSERT_EQ(spectrum.eigenvalues.has_value(), GetParam().queries == GetParam().keys);
  const auto isByWindows = [](const SpectrumValues& values) {
    return values.method.find("windows") != std::string::npos;
  };
  EXPECT_EQ(isByWindows(*all), !GetParam().overlaps);
  EXPECT_EQ(isByWindows(spectrum.singularValues),
            !GetParam().overlaps && !spectrum.eigenvalues.has_value());
  if (!spectrum.eigenvalues) return;
  EXPECT_LT(test::spectrumDifference(spectrum.eigenvalues->values,
                                     test::denseEigenvalueMagnitudes(expected_)),
            1e-6);
  // Other tokens ask than are asked, so that eigenvalues are not those of the blocks.
  EXPECT_FALSE(isByWindows(*spectrum.eigenvalues));
}

INSTANTIATE_TEST_SUITE_P(BlockSizes, BlockMapTest,
                         ::testing::Values(BlockSizes{"square", 24, 24, 4, 6, 6},
                                           BlockSizes{"padded", 20, 20, 4, 6, 6},
                                           BlockSizes{"coarser keys", 24, 12, 4, 6, 3},
                                           BlockSizes{"left-out queries", 26, 24, 4, 6, 6},
                                           BlockSizes{"overlapping keys", 24, 30, 4, 6, 9, true}));

/// Windows whose queries are their keys, as in every published network: 4 of 9 places for 31
/// tokens.
BlockMap::Blocks ownTokens() {
  BlockMap::Blocks blocks = blocksOf({"own", 31, 31, 4, 9, 9});
  blocks.columns = blocks.rows;
  return blocks;
}

TEST(BlockMap, HasTheEigenvaluesOfItsWindows) {
  const BlockMap map({}, ownTokens());
  const Eigen::MatrixXd whole = wholeOf(map.blocks(), 0);
  const Spectrum spectrum = attentionSpectrum(map, 0);
  ASSERT_TRUE(spectrum.eigenvalues.has_value());
  EXPECT_EQ(spectrum.eigenvalues->method, "dense, 4 windows of 9 x 9, float64");
  EXPECT_EQ(spectrum.eigenvalues->wanted, 31);
  EXPECT_LT(test::spectrumDifference(spectrum.eigenvalues->values,
                                     test::denseEigenvalueMagnitudes(whole)),
            1e-9);
  EXPECT_LT(
      test::spectrumDifference(spectrum.singularValues.values, test::denseSingularValues(whole)),
      1e-9);
  double trace = 0;
  for (const double part : spectrum.eigenvalues->realParts) trace += part;
  EXPECT_NEAR(trace, whole.trace(), 1e-9 * whole.norm());
}

/// Softmaxes over the keys of each window and its padding.
BlockMap softmaxOfWindows(bool isPadded) {
  BlockMap::Blocks blocks = isPadded ? ownTokens() : blocksOf({"own", 36, 36, 4, 9, 9});
  blocks.columns = blocks.rows;
  std::vector<Matrix> heads;
  for (int head = 0; head < blockHeads; ++head) {
    Matrix weights = blocks.values[head].array().exp();
    for (int i = 0; i < weights.rows(); ++i) weights.row(i) /= weights.row(i).sum();
    heads.push_back(weights);
  }
  blocks.values = MatrixStack(heads);
  const TokenGrid grid{isPadded ? 31 : 6, isPadded ? 1 : 6};
  return BlockMap({.mechanism = "softmax_window", .queryGrid = grid, .keyGrid = grid}, blocks);
}

TEST(BlockMap, HasEigenvaluesOfAtMostOneWhereRowsAreShares) {
  EXPECT_EQ(eigenvalueBound(softmaxOfWindows(false), 0)->reason,
            "rows are weights that sum to one");
  EXPECT_EQ(eigenvalueBound(softmaxOfWindows(true), 0)->reason,
            "rows are weights that sum to one with those on padding");
  EXPECT_FALSE(eigenvalueBound(BlockMap({}, ownTokens()), 0).has_value()) << "negative weights";
}

TEST(BlockMap, SpreadsItsAttentionOverAWindowAtMost) {
  BlockMap::Blocks blocks = softmaxOfWindows(false).blocks();
  std::vector<Matrix> even(blockHeads, Matrix::Constant(36, 9, 1.0f / 9));
  blocks.values = MatrixStack(even);
  const BlockMap map({.queryGrid = TokenGrid{6, 6}, .keyGrid = TokenGrid{6, 6}}, blocks);
  EXPECT_NEAR(*meanEntropyShare(map, 0), 1, 1e-6) << "of ln 9, not of ln 36";
}

TEST(BlockMap, RefusesWhatIsNoAttentionWithinWindows) {
  const auto changed = [](auto change) {
    BlockMap::Blocks blocks = blocksOf({"square", 24, 24, 4, 6, 6});
    change(blocks);
    return blocks;
  };
  const auto expectRefusal = [&](const char* words, auto change) {
    try {
      BlockMap({}, changed(change));
      ADD_FAILURE() << words;
    } catch (const InspectionError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(words));
    }
  };
  using Blocks = BlockMap::Blocks;
  expectRefusal("query 24", [](Blocks& blocks) { blocks.rows[3] = 24; });
  expectRefusal("query -2", [](Blocks& blocks) { blocks.rows[3] = -2; });
  expectRefusal("key 24", [](Blocks& blocks) { blocks.columns[9] = 24; });
  expectRefusal("stands in two rows", [](Blocks& blocks) { blocks.rows[3] = blocks.rows[17]; });
  expectRefusal("twice in one block",
                [](Blocks& blocks) { blocks.columns[7] = blocks.columns[6]; });
  expectRefusal("4 blocks", [](Blocks& blocks) { blocks.rows.pop_back(); });
  expectRefusal("4 blocks", [](Blocks& blocks) { blocks.columns.push_back(0); });
  expectRefusal("5 blocks", [](Blocks& blocks) { blocks.count = 5; });
  expectRefusal("0 blocks", [](Blocks& blocks) { blocks.count = 0; });
  // A key may stand in two blocks.
  const BlockMap shared({}, changed([](Blocks& blocks) { blocks.columns[0] = blocks.columns[7]; }));
  EXPECT_FALSE(shared.hasDisjointKeys());
  EXPECT_THROW(shared.row(0, 24), InspectionError);
  EXPECT_THROW(shared.row(2, 0), InspectionError);
  EXPECT_THROW(shared.column(0, -1), InspectionError);
}

TEST(BlockMap, StoresNothingOfTheWholeMatrix) {
  const int tokens = 256 * 256;
  BlockMap::Blocks blocks{.values = randomStack(1, tokens, 16, 1),
                          .count = tokens / 16,
                          .queries = tokens,
                          .keys = tokens};
  for (int i = 0; i < tokens; ++i) blocks.rows.push_back(i);
  blocks.columns = blocks.rows;
  const BlockMap map({}, blocks);
  EXPECT_LT(map.bytes(), std::size_t{6} << 20);
  EXPECT_EQ((map.row(0, 12345).array() != 0).count(), 16);
  EXPECT_EQ(map.averaged(0, map.wholePart(), 64, 64).rows(), 64);
}

}  // namespace
}  // namespace softscope
