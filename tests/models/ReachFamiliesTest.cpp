#include "core/network/Measurements.h"
#include "core/network/NetworkModule.h"
#include "core/network/ReachPass.h"
#include "core/network/Recorder.h"
#include "tests/models/Golden.h"
#include "tests/models/UnpackedArchive.h"
#include "tests/models/structure/HandWrittenCases.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Keeps one token behind the block of one layer.
class OneTokenRecorder final : public Recorder {
 public:
  OneTokenRecorder(std::string layer, int token) : layer_(std::move(layer)), token_(token) {}
  void record(AttentionRecord) override {}
  void recordTokens(const TokenRecord& record) override {
    if (record.layer == layer_) token = record.tokens[token_].detach().clone();
  }

  torch::Tensor token;

 private:
  std::string layer_;
  int token_;
};

/// Moves one value of the tokens that the network goes on with behind one block, and keeps what
/// comes of the token that is asked about.
class MovingRecorder final : public Recorder, public TermObserver {
 public:
  struct Move {
    std::string behind;
    int token = 0;  ///< counted with those before the patches
    int channel = 0;
    double by = 0;
  };
  /// Returns the place of a token among `count` in the network's own order, in which attention's
  /// outputs are; `token` counts those that are no patches first.
  using PlaceOf = int (*)(int token, int count);

  MovingRecorder(const Reach& reach, ReachedToken behind, Move move, PlaceOf placeOf)
      : reach_(reach), behind_(behind), move_(std::move(move)), placeOf_(placeOf) {}

  TermObserver* terms() override { return this; }
  std::vector<int> silencedHeads(const std::string&) const override { return {}; }
  void recordTerms(TermRecord) override {}
  void record(AttentionRecord) override {}
  void recordAddition(AdditionRecord record) override {
    if (behind_ != ReachedToken::BehindAttention || record.layer != reach_.layer) return;
    const torch::Tensor rows =
        record.output.dim() == 3 ? record.output.flatten(1).t() : record.output;
    reached = rows[placeOf_(reach_.token, static_cast<int>(rows.size(0)))].clone();
  }
  void recordTokens(const TokenRecord& record) override {
    if (record.layer == move_.behind) {
      torch::Tensor all = record.all[0];
      torch::Tensor rows = all.dim() == 3 ? all.flatten(1).t() : all;
      rows[move_.token][move_.channel] += move_.by;
    }
    if (behind_ == ReachedToken::BehindBlock && record.layer == reach_.layer) {
      reached = record.tokens[reach_.token].clone();
    }
  }

  torch::Tensor reached;

 private:
  const Reach& reach_;
  ReachedToken behind_;
  Move move_;
  PlaceOf placeOf_;
};

int placeFirst(int token, int) {
  return token;
}

int placeLast(int token, int count) {
  return token == 0 ? count - 1 : token - 1;
}

int placeInTheMiddle(int token, int count) {
  const int before = (count - 1) / 2;
  if (token == 0) return before;
  return token <= before ? token - 1 : token;
}

/// Opens a case by its name. In Vim the class token stands between the patches, in class_last
/// behind them.
Golden reachedCase(const std::string& name) {
  static const test::UnpackedArchive linear("linear.zip");
  if (name == "vim" || name == "mhla_deit") return Golden(linear.folder(name));
  if (name == "class_last") {
    return Golden(test::HandWrittenCases::folder(name),
                  test::HandWrittenCases::request(name, "options"));
  }
  return Golden(name);
}

/// A golden network in float64, and its picture.
struct ReachedGolden {
  explicit ReachedGolden(const std::string& name)
      : golden(reachedCase(name)),
        placeOf(name == "vim"          ? placeInTheMiddle
                : name == "class_last" ? placeLast
                                       : placeFirst) {
    dynamic_cast<NetworkModule&>(golden.model->network()).to(torch::kFloat64);
    const InputTensor input = golden.input();
    const auto pixels = static_cast<std::int64_t>(input.height) * input.width;
    picture = torch::from_blob(const_cast<float*>(input.values.data()),
                               {1, static_cast<std::int64_t>(input.values.size()) / pixels,
                                input.height, input.width})
                  .to(golden.model->network().device(), torch::kFloat64);
  }

  torch::Tensor tokenAt(const torch::Tensor& at, const Reach& reach) const {
    const torch::NoGradGuard noGradient;
    OneTokenRecorder recorder(reach.layer, reach.token);
    golden.model->network().forward(at, &recorder);
    return recorder.token;
  }
  /// Returns the derivative of the token with respect to one value of the picture, [C].
  torch::Tensor differenceAt(const Reach& reach, int channel, int pixel) const {
    constexpr double step = 1e-5;
    const auto moved = [&](double by) {
      torch::Tensor at = picture.clone();
      at.flatten(2)[0][channel][pixel] += by;
      return tokenAt(at, reach);
    };
    return (moved(step) - moved(-step)) / (2 * step);
  }

  torch::Tensor reachedAfter(const Reach& reach, ReachedToken behind,
                             MovingRecorder::Move move) const {
    const torch::NoGradGuard noGradient;
    MovingRecorder recorder(reach, behind, std::move(move), placeOf);
    golden.model->network().forward(picture, &recorder);
    return recorder.reached;
  }
  int channelsBehind(const std::string& layer) const {
    const torch::NoGradGuard noGradient;
    OneTokenRecorder recorder(layer, 0);
    golden.model->network().forward(picture, &recorder);
    return static_cast<int>(recorder.token.size(0));
  }

  Golden golden;
  torch::Tensor picture;
  MovingRecorder::PlaceOf placeOf;
};

/// Returns pixels around and beside the ones that reach most.
std::vector<int> testedPixels(const Reach& reach) {
  Eigen::Index most = 0;
  reach.pixels.maxCoeff(&most);
  const int last = static_cast<int>(reach.pixels.size()) - 1;
  return {static_cast<int>(most), std::min<int>(last, static_cast<int>(most) + 5), last / 3, 0};
}

class ReachFamiliesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ReachFamiliesTest, IsTheSquaredNormOfTheJacobianByFiniteDifferences) {
  const ReachedGolden of(GetParam());
  const auto& layers = of.golden.inspection->layers;
  ReachRequest request{.layers = {layers[0].name, layers[1].name}, .x = 0.4, .y = 0.7};
  request.directions = 1 << 20;
  const std::vector<Reach> all = reachOf(of.golden.model->network(), of.picture, request);
  ASSERT_EQ(all.size(), request.layers.size());
  for (const Reach& reach : all) {
    SCOPED_TRACE(reach.layer);
    ASSERT_EQ(reach.obstacle, "");
    EXPECT_EQ(reach.directions, reach.channels);
    const double largest = reach.pixels.maxCoeff();
    for (const int pixel : testedPixels(reach)) {
      double expected = 0;
      for (int channel = 0; channel < of.picture.size(1); ++channel) {
        expected += of.differenceAt(reach, channel, pixel).square().sum().item<double>();
      }
      EXPECT_NEAR(reach.pixels[pixel], expected, 1e-5 * largest) << pixel;
    }
  }
}

TEST_P(ReachFamiliesTest, PositiveSumIsThatOfFiniteDifferences) {
  const ReachedGolden of(GetParam());
  const std::string layer = of.golden.inspection->layers[1].name;
  const Reach reach = reachOf(of.golden.model->network(), of.picture,
                              {.layers = {layer}, .of = ReachGradient::PositiveSum})
                          .front();
  ASSERT_EQ(reach.obstacle, "");
  // Near zero the positive part of a channel has a kink, which no tested channel is at.
  const torch::Tensor token = of.tokenAt(of.picture, reach);
  const torch::Tensor counted = (token > 0).to(torch::kFloat64);
  for (const int pixel : testedPixels(reach)) {
    double expected = 0;
    for (int channel = 0; channel < of.picture.size(1); ++channel) {
      const double gradient =
          (of.differenceAt(reach, channel, pixel) * counted).sum().item<double>();
      expected += std::max(0.0, gradient);
    }
    EXPECT_NEAR(reach.pixels[pixel], expected, 1e-5 * reach.pixels.maxCoeff()) << pixel;
  }
}

// The mean of squares over orthonormal directions: half of them are right but for chance.
TEST_P(ReachFamiliesTest, FewDirectionsEstimateTheSum) {
  const ReachedGolden of(GetParam());
  const std::string layer = of.golden.inspection->layers[1].name;
  const auto sumBy = [&](int directions) {
    const auto reaches = reachOf(of.golden.model->network(), of.picture,
                                 {.layers = {layer}, .directions = directions});
    return reaches.front().pixels.sum();
  };
  EXPECT_NEAR(sumBy(24) / sumBy(1 << 20), 1, 0.35);
  EXPECT_EQ(sumBy(3), sumBy(3)) << "the directions are the same each time";
}

// The block alone: its input is moved, not the picture.
TEST_P(ReachFamiliesTest, FromTokensIsTheBlocksOwnJacobian) {
  const ReachedGolden of(GetParam());
  const auto& layers = of.golden.inspection->layers;
  for (const ReachedToken behind : {ReachedToken::BehindBlock, ReachedToken::BehindAttention}) {
    ReachRequest request{.layers = {layers[1].name}, .x = 0.4, .y = 0.7};
    request.from = ReachSource::Tokens;
    request.behind = behind;
    request.directions = 1 << 20;
    const Reach reach = reachOf(of.golden.model->network(), of.picture, request).front();
    ASSERT_EQ(reach.obstacle, "");
    EXPECT_EQ(reach.pixels.size(), reach.height * reach.width);
    Eigen::VectorXd all(reach.prefix.size() + reach.pixels.size());
    all << reach.prefix, reach.pixels;
    Eigen::Index most = 0;
    const double largest = all.maxCoeff(&most);
    ASSERT_GT(largest, 0);
    for (const int token : {static_cast<int>(most), 0, static_cast<int>(all.size()) - 1,
                            static_cast<int>(all.size()) / 2}) {
      double expected = 0;
      constexpr double step = 1e-5;
      for (int channel = 0; channel < of.channelsBehind(layers[0].name); ++channel) {
        const auto moved = [&](double by) {
          return of.reachedAfter(reach, behind, {layers[0].name, token, channel, by});
        };
        expected += ((moved(step) - moved(-step)) / (2 * step)).square().sum().item<double>();
      }
      EXPECT_NEAR(all[token], expected, 1e-5 * largest) << token;
    }
  }
}

TEST_P(ReachFamiliesTest, NothingStandsBeforeTheFirstBlock) {
  const ReachedGolden of(GetParam());
  ReachRequest request{.layers = {of.golden.inspection->layers[0].name}};
  request.from = ReachSource::Tokens;
  const Reach reach = reachOf(of.golden.model->network(), of.picture, request).front();
  EXPECT_NE(reach.obstacle.find("choose a later layer"), std::string::npos) << reach.obstacle;
}

/// Returns the cases of an archive whose networks compute attention in their own ways.
std::vector<std::string> casesOfTerms() {
  static const test::UnpackedArchive linear("linear.zip");
  return {linear.cases().begin(), linear.cases().end()};
}

class ReachOfEveryFamilyTest : public ::testing::TestWithParam<std::string> {};

// A network that computes in place what a gradient needs later could not be asked.
TEST_P(ReachOfEveryFamilyTest, IsMeasured) {
  static const test::UnpackedArchive linear("linear.zip");
  const ReachedGolden of(linear.folder(GetParam()));
  ReachRequest request{.layers = {of.golden.inspection->layers.back().name}, .x = 0.4, .y = 0.7};
  const Reach reach = reachOf(of.golden.model->network(), of.picture, request).front();
  // LRA's networks look pixels up in a table, which has no gradient.
  if (GetParam().starts_with("lra")) {
    EXPECT_NE(reach.obstacle.find("does not depend on the picture"), std::string::npos);
    return;
  }
  ASSERT_EQ(reach.obstacle, "");
  EXPECT_GT(reach.pixels.maxCoeff(), 0);
}

INSTANTIATE_TEST_SUITE_P(Linear, ReachOfEveryFamilyTest, ::testing::ValuesIn(casesOfTerms()),
                         [](const auto& of) { return of.param; });

INSTANTIATE_TEST_SUITE_P(Families, ReachFamiliesTest,
                         ::testing::Values("deit", "soft", "soft_norm", "sima", "vim",
                                           "class_last"),
                         [](const auto& of) { return std::string(of.param); });

TEST(ReachMeasurement, AsksThePatchUnderThePlaceOrATokenBeforeThePatches) {
  const Golden golden("deit");
  const std::string layer = golden.inspection->layers[0].name;
  const auto reachAt = [&](const ReachRequest& request) {
    return measureReach(*golden.model, golden.input(), request).front();
  };
  const Reach patch = reachAt({.layers = {layer}, .x = 0.99, .y = 0.01, .directions = 2});
  EXPECT_EQ(patch.patch, patch.grid.width - 1);
  EXPECT_EQ(patch.token, patch.prefixTokens + patch.grid.width - 1);
  EXPECT_TRUE(reachRadius(patch));
  const Reach first = reachAt({.layers = {layer}, .prefixToken = 0, .directions = 2});
  EXPECT_FALSE(first.patch);
  EXPECT_EQ(first.token, 0);
  EXPECT_NE(reachAt({.layers = {layer}, .prefixToken = 5}).obstacle.find("before the patches"),
            std::string::npos);
  EXPECT_NE(reachAt({.layers = {"nowhere"}}).obstacle.find("nowhere"), std::string::npos);
}

TEST(ReachMeasurement, KnowsWhereTheGridLiesOfANetworkThatPutsZerosAroundItsInput) {
  const Golden golden(reachedCase("mhla_deit"));
  ReachRequest request{.layers = {golden.inspection->layers.back().name}, .directions = 2};
  const Reach reach = measureReach(*golden.model, golden.input(), request).front();
  ASSERT_EQ(reach.obstacle, "");
  EXPECT_EQ(reach.height, 56);
  EXPECT_EQ(reach.seen, (PictureRegion{-4, -4, 64, 64}));
  request.from = ReachSource::Tokens;
  EXPECT_EQ(measureReach(*golden.model, golden.input(), request).front().seen, std::nullopt);
}

}  // namespace
}  // namespace softscope
