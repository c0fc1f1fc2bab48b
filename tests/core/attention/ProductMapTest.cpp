#include "core/Error.h"
#include "core/analysis/spectrum/EigenvalueBound.h"
#include "core/analysis/spectrum/MapProduct.h"
#include "core/attention/BlockMixedMap.h"
#include "core/attention/CirculantMap.h"
#include "core/attention/GatedScanMap.h"
#include "core/attention/SelectiveScanMap.h"
#include "core/attention/WkvMap.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>

namespace softscope {
namespace {

using test::averagedOverAreas;
using test::randomMatrix;
using test::randomStack;
using test::relativeDifference;

/// A map beside its matrices, computed entry by entry in float64 from their definition.
struct DefinedMap {
  std::string name;
  std::shared_ptr<const ProductMap> map;
  /// Returns the entry of a head's matrix, for a channel if the map is a mean over channels.
  std::function<double(int head, int channel, int query, int key)> entry;
  int channels = 1;

  Eigen::MatrixXd matrix(int head, int channel) const {
    const AttentionDescription& sizes = map->description();
    Eigen::MatrixXd values(sizes.queries, sizes.keys);
    for (int i = 0; i < sizes.queries; ++i) {
      for (int j = 0; j < sizes.keys; ++j) values(i, j) = entry(head, channel, i, j);
    }
    return values;
  }
  Eigen::MatrixXd mean(int head) const {
    Eigen::MatrixXd sum = matrix(head, 0);
    for (int channel = 1; channel < channels; ++channel) sum += matrix(head, channel);
    return sum / channels;
  }
};

void PrintTo(const DefinedMap& subject, std::ostream* stream) {
  *stream << subject.name;
}

MatrixStack mapped(const MatrixStack& stack, const std::function<float(float)>& change) {
  std::vector<Matrix> matrices;
  for (int i = 0; i < stack.count(); ++i) matrices.emplace_back(stack[i].unaryExpr(change));
  return MatrixStack(matrices);
}

double at(const MatrixStack& stack, int index, int row, int column) {
  return stack[index](row, column);
}

DefinedMap circulant() {
  const int height = 3;
  const int width = 5;
  const MatrixStack kernels = randomStack(4, height, width, 1);
  const auto entry = [=](int, int channel, int query, int key) {
    const int down = (key / width - query / width + height) % height;
    const int right = (key % width - query % width + width) % width;
    return at(kernels, channel, down, right);
  };
  return {"Circulant", std::make_shared<CirculantMap>(AttentionDescription{}, kernels), entry, 4};
}

DefinedMap blockMixed() {
  const int tokens = 12;
  const MatrixStack query = randomStack(2, tokens, 3, 2);
  const MatrixStack key = randomStack(2, tokens, 3, 3);
  const Matrix weights = randomMatrix(4, 4, 4);
  std::vector<int> blocks(tokens);
  for (int token = 0; token < tokens; ++token) {
    blocks[static_cast<std::size_t>(token)] = token * 7 % 12 / 3;
  }
  const auto entry = [=](int head, int, int i, int j) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) sum += at(query, head, i, c) * at(key, head, j, c);
    return sum * weights(blocks[static_cast<std::size_t>(i)], blocks[static_cast<std::size_t>(j)]);
  };
  return {"BlockMixed",
          std::make_shared<BlockMixedMap>(AttentionDescription{}, query, key, weights, blocks),
          entry};
}

DefinedMap selectiveScan(int tokens, float longestStep) {
  const int channels = 3;
  const int states = 2;
  SelectiveScanMap::Parts parts;
  parts.read = randomStack(2, tokens, states, 5);
  parts.write = randomStack(2, tokens, states, 6);
  parts.steps = mapped(randomStack(2, tokens, channels, 7),
                       [=](float x) { return longestStep * (std::abs(x) + 0.01f); });
  parts.rates = mapped(randomStack(2, channels, states, 8), [](float x) { return -std::exp(x); });
  std::vector<int> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + tokens / 3, order.end());
  parts.order = {order, std::vector<int>(order.rbegin(), order.rend())};
  const auto entry = [=](int head, int channel, int query, int key) {
    const std::vector<int>& seen = parts.order[static_cast<std::size_t>(head)];
    const auto last = std::find(seen.begin(), seen.end(), query);
    const auto first = std::find(seen.begin(), seen.end(), key);
    if (first > last) return 0.0;
    double since = 0;
    for (auto token = first; token != last; ++token) {
      since += at(parts.steps, head, token[1], channel);
    }
    double sum = 0;
    for (int m = 0; m < states; ++m) {
      sum += at(parts.read, head, query, m) * at(parts.write, head, key, m) *
             std::exp(at(parts.rates, head, channel, m) * since);
    }
    return sum * at(parts.steps, head, key, channel);
  };
  return {longestStep > 1 ? "LongSelectiveScan" : "SelectiveScan",
          std::make_shared<SelectiveScanMap>(AttentionDescription{}, parts), entry, channels};
}

DefinedMap gatedScan() {
  const int tokens = 14;
  const int width = 3;
  const auto gates = [](float x) { return -std::abs(x); };
  const GatedScanMap::Parts parts{randomStack(2, tokens, width, 9),
                                  randomStack(2, tokens, width, 10),
                                  mapped(randomStack(2, tokens, width, 11), gates),
                                  mapped(randomStack(2, tokens, width, 12), gates)};
  const auto entry = [=](int head, int, int i, int j) {
    double sum = 0;
    for (int c = 0; c < width; ++c) {
      double forward = 0;
      double backward = 0;
      for (int l = j + 1; l <= i; ++l) forward += at(parts.forward, head, l, c);
      for (int l = i; l < j; ++l) backward += at(parts.backward, head, l, c);
      const double both = (j <= i ? std::exp(forward) : 0) + (j >= i ? std::exp(backward) : 0);
      sum += at(parts.query, head, i, c) * at(parts.key, head, j, c) * both;
    }
    return sum;
  };
  return {"GatedScan", std::make_shared<GatedScanMap>(AttentionDescription{}, parts), entry};
}

/// With more than 32 tokens, runs are longer than one token, and the last is shorter.
DefinedMap wkv(int tokens) {
  const int channels = 3;
  const MatrixStack key = randomStack(1, tokens, channels, 13);
  const MatrixStack decay = mapped(randomStack(1, 1, channels, 14), [](float x) { return x / 9; });
  const MatrixStack first = randomStack(1, 1, channels, 15);
  const int run = (tokens + 31) / 32;
  const auto undivided = [=](int channel, int i, int j) {
    const double k = at(key, 0, j, channel);
    const double w = at(decay, 0, 0, channel);
    const int start = i / run * run;
    double value = j == i               ? std::exp(at(first, 0, 0, channel) + k)
                   : j > i || j < start ? std::exp(k - w * std::abs(i - j))
                                        : std::exp(k - w * (i - j - 1));
    if (j > start && j <= i) value += std::exp(k + w * (i - j)) * (1 - std::exp(w));
    return value;
  };
  const auto entry = [=](int, int channel, int i, int j) {
    double sum = 0;
    for (int l = 0; l < tokens; ++l) sum += undivided(channel, i, l);
    return undivided(channel, i, j) / sum;
  };
  return {"Wkv" + std::to_string(tokens),
          std::make_shared<WkvMap>(AttentionDescription{}, WkvMap::Parts{key, decay, first}), entry,
          channels};
}

class ProductMapTest : public ::testing::TestWithParam<DefinedMap> {
 protected:
  const ProductMap& map() const { return *GetParam().map; }
  int heads() const { return map().description().heads; }
  int queries() const { return map().description().queries; }
  int keys() const { return map().description().keys; }
};

TEST_P(ProductMapTest, RowsColumnsAndBlocksAreThoseOfTheDefinition) {
  for (int head = 0; head < heads(); ++head) {
    const Eigen::MatrixXd expected = GetParam().mean(head);
    for (int query = 0; query < queries(); ++query) {
      EXPECT_LT(relativeDifference(map().row(head, query).transpose(), expected.row(query)), 1e-5);
    }
    for (int key = 0; key < keys(); ++key) {
      EXPECT_LT(relativeDifference(map().column(head, key), expected.col(key)), 1e-5);
    }
    EXPECT_LT(relativeDifference(map().block(head, 2, 1, 5, 4), expected.block(2, 1, 5, 4)), 1e-5);
    EXPECT_LT(relativeDifference(map().averaged(head, map().wholePart(), 4, 4),
                                 averagedOverAreas(expected, 4, 4)),
              1e-5);
  }
}

TEST_P(ProductMapTest, MultipliesAsTheMatrixDoes) {
  const Progress progress;
  const Eigen::VectorXd x = randomMatrix(keys(), 1, 21).cast<double>();
  const Eigen::VectorXd y = randomMatrix(queries(), 1, 22).cast<double>();
  for (int head = 0; head < heads(); ++head) {
    const Eigen::MatrixXd expected = GetParam().mean(head);
    EXPECT_LT(relativeDifference(map().times(head, x), expected * x), 1e-6);
    EXPECT_LT(relativeDifference(map().transposedTimes(head, y), expected.transpose() * y), 1e-6);
    const auto product = mapProduct(map(), head, 0, progress);
    EXPECT_LT(relativeDifference(product->times(x), expected * x), 1e-6);
  }
}

TEST_P(ProductMapTest, AChannelHasItsOwnMatrix) {
  const auto* mean = dynamic_cast<const ChannelMeanMap*>(&map());
  EXPECT_EQ(map().description().meanOfChannels, mean != nullptr ? GetParam().channels : 0);
  if (mean == nullptr) return;
  ASSERT_EQ(mean->channels(), GetParam().channels);
  const Eigen::VectorXd x = randomMatrix(keys(), 1, 23).cast<double>();
  for (int channel = 0; channel < mean->channels(); ++channel) {
    const auto one = mean->ofChannel(channel);
    EXPECT_EQ(one->description().meanOfChannels, 0);
    for (int head = 0; head < heads(); ++head) {
      const Eigen::MatrixXd expected = GetParam().matrix(head, channel);
      EXPECT_LT(relativeDifference(one->block(head, 0, 0, queries(), keys()), expected), 1e-5);
      EXPECT_LT(relativeDifference(one->times(head, x), expected * x), 1e-6);
    }
  }
  EXPECT_THROW(mean->ofChannel(mean->channels()), InspectionError);
  EXPECT_THROW(mean->ofChannel(-1), InspectionError);
}

TEST_P(ProductMapTest, HasNoOtherEntries) {
  EXPECT_THROW(map().row(heads(), 0), InspectionError);
  EXPECT_THROW(map().row(0, queries()), InspectionError);
  EXPECT_THROW(map().column(0, -1), InspectionError);
  EXPECT_THROW(map().times(heads(), Eigen::VectorXd::Zero(keys())), InspectionError);
  EXPECT_GT(map().bytes(), 0u);
}

TEST(CirculantMap, HasEigenvaluesOfAtMostOneIfItsKernelIsOfShares) {
  std::vector<Matrix> kernels;
  for (unsigned channel = 0; channel < 3; ++channel) {
    const Matrix kernel = randomMatrix(4, 5, 30 + channel).cwiseAbs();
    kernels.emplace_back(kernel / kernel.sum());
  }
  const CirculantMap shares(AttentionDescription{}, MatrixStack(kernels));
  const auto bound = eigenvalueBound(shares, 0);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->value, 1);
  EXPECT_FALSE(eigenvalueBound(CirculantMap(AttentionDescription{}, randomStack(2, 4, 5, 40)), 0));
}

std::string nameOfMap(const ::testing::TestParamInfo<DefinedMap>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProductMapTest,
                         ::testing::Values(circulant(), blockMixed(), selectiveScan(17, 1),
                                           selectiveScan(40, 60), gatedScan(), wkv(20), wkv(75)),
                         nameOfMap);

}  // namespace
}  // namespace softscope
