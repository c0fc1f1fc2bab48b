#include "core/Error.h"
#include "core/network/Inspector.h"
#include "core/network/Measurements.h"
#include "core/network/Network.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace softscope {
namespace {

constexpr int side = 4;

/// Every pixel is a token X_i of three channels, and y_c = Σ_i X_i^2 · W_ci: the gradient with
/// respect to X_i is 2 X_i W_ci.
class SquaresNetwork final : public Network {
 public:
  SquaresNetwork() {
    torch::manual_seed(3);
    weights = torch::randn({2, side * side, 3});
  }

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override {
    const torch::Tensor tokens = pictures.flatten(2).transpose(1, 2).contiguous();
    if (recorder != nullptr) {
      const TokenGrid grid{side, side};
      // Nothing of a second block reaches the answer.
      recorder->recordTokens({"first", tokens[0], grid, tokens});
      const torch::Tensor unused = tokens * 2;
      recorder->recordTokens({"second", unused[0], grid, unused});
    }
    return at::einsum("bic,kic->bk", {tokens.square(), weights});
  }
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

  torch::Tensor weights;
};

struct Measured {
  Measured() {
    torch::manual_seed(4);
    picture = torch::randn({1, 3, side, side});
    input = {side, side, {picture.data_ptr<float>(), picture.data_ptr<float>() + picture.numel()}};
    network = std::make_shared<SquaresNetwork>();
  }

  ClassMaps maps(ClassMapRequest request) const {
    return measureClassMaps(Model(ModelSummary(), network), input, request);
  }
  ClassMap map(ClassMethod method, const std::string& layer = {}) const {
    return maps({.classIndex = 1, .methods = {method}, .layer = layer}).maps.at(0);
  }
  /// X of every token, [tokens, 3].
  torch::Tensor tokens() const { return picture[0].flatten(1).t(); }

  torch::Tensor picture;
  InputTensor input;
  std::shared_ptr<SquaresNetwork> network;
};

void expectMap(const ClassMap& map, const torch::Tensor& expected) {
  ASSERT_EQ(map.obstacle, "");
  EXPECT_EQ(map.grid, (TokenGrid{side, side}));
  ASSERT_EQ(map.patches.size(), expected.numel());
  const double scale = expected.abs().max().item<double>();
  for (int i = 0; i < map.patches.size(); ++i) {
    EXPECT_NEAR(map.patches[i], expected[i].item<double>(), 1e-5 * scale) << i;
  }
}

TEST(ClassMapMeasurement, TokensTimesGradientIsTheSumOverChannels) {
  const Measured of;
  const ClassMap map = of.map(ClassMethod::GradientTokens);
  // The second block has no gradient, so that the first is the last that has one.
  EXPECT_EQ(map.layer, "first");
  expectMap(map, (2 * of.tokens().square() * of.network->weights[1]).sum(1));
}

TEST(ClassMapMeasurement, GradCamWeighsChannelsByTheirMeanGradient) {
  const Measured of;
  const torch::Tensor weights = (2 * of.tokens() * of.network->weights[1]).mean(0);
  expectMap(of.map(ClassMethod::GradCam), at::matmul(of.tokens(), weights).relu());
}

TEST(ClassMapMeasurement, IntegratedGradientsSumToTheDifferenceOfTheLogit) {
  const Measured of;
  const ClassMap map = of.map(ClassMethod::IntegratedGradients);
  const torch::Tensor parts = (of.tokens().square() * of.network->weights[1]).sum(1);
  expectMap(map, parts);
  const ClassMaps maps = of.maps({.classIndex = 1, .methods = {}});
  EXPECT_NEAR(map.patches.sum(), maps.logit, 1e-4 * std::abs(maps.logit));
}

TEST(ClassMapMeasurement, ThePredictedClassIsTheDefault) {
  const Measured of;
  const torch::Tensor logits = of.network->forward(of.picture, nullptr)[0];
  const ClassMaps maps = of.maps({.methods = {}});
  EXPECT_EQ(maps.classIndex, logits.argmax().item<int>());
  EXPECT_NEAR(maps.probability.value(), logits.softmax(0).max().item<double>(), 1e-6);
}

TEST(ClassMapMeasurement, SaysWhatANetworkHasNoMapFor) {
  const Measured of;
  EXPECT_NE(of.map(ClassMethod::GradientRollout).obstacle.find("any attention"), std::string::npos);
  EXPECT_NE(of.map(ClassMethod::LeGrad).obstacle, "");
  EXPECT_NE(of.map(ClassMethod::GradCam, "second").obstacle.find("earlier layer"),
            std::string::npos);
  EXPECT_NE(of.map(ClassMethod::GradCam, "third").obstacle.find("third"), std::string::npos);
  EXPECT_THROW(of.maps({.classIndex = 2}), InspectionError);
  EXPECT_THROW(of.maps({.classIndex = -1}), InspectionError);
}

/// A network that puts a border of one zero around its input, takes 2 x 2 pixels as a token, and
/// does not pass on what its attention makes of V: y_c = Σ_p x_p · W_cp.
class BorderedNetwork final : public Network, public EarlyAnswerNetwork {
 public:
  BorderedNetwork() {
    torch::manual_seed(5);
    weights = torch::randn({2, 3, side, side});
  }

  torch::Tensor forward(const torch::Tensor& pictures, Recorder* recorder) override {
    if (recorder != nullptr) {
      recorder->recordSeen({-1, -1, side + 2, side + 2});
      AttentionRecord record;
      record.layer = "bordered";
      record.description.mechanism = "softmax";
      record.description.queryGrid = TokenGrid{side / 2 + 1, side / 2 + 1};
      record.description.keyGrid = record.description.queryGrid;
      recorder->record(std::move(record));
    }
    return at::einsum("bcij,kcij->bk", {pictures, weights});
  }
  torch::Tensor answerEarly(const torch::Tensor& tokens, const TokenGrid&) override {
    return tokens;
  }
  void checkInputSize(int, int) const override {}
  torch::Device device() const override { return torch::kCPU; }

  torch::Tensor weights;
};

ClassMap borderedMap(ClassMethod method, const InputTensor& input) {
  const Model model(ModelSummary(), std::make_shared<BorderedNetwork>());
  return measureClassMaps(model, input, {.classIndex = 1, .methods = {method}}).maps.at(0);
}

TEST(ClassMapMeasurement, IntegratedGradientsLieWhereTokensDoThatReachBeyondTheInput) {
  const Measured of;
  const ClassMap map = borderedMap(ClassMethod::IntegratedGradients, of.input);
  ASSERT_EQ(map.obstacle, "");
  EXPECT_EQ(map.grid, (TokenGrid{3, 3}));
  const torch::Tensor parts = (of.picture[0] * BorderedNetwork().weights[1]).sum(0);
  const torch::Tensor padded = at::constant_pad_nd(parts, {1, 1, 1, 1});
  const torch::Tensor expected = padded.view({3, 2, 3, 2}).sum({1, 3}).flatten();
  ASSERT_EQ(map.patches.size(), expected.numel());
  for (int i = 0; i < map.patches.size(); ++i) {
    EXPECT_NEAR(map.patches[i], expected[i].item<double>(), 1e-5) << i;
  }
}

TEST(ClassMapMeasurement, LeavesOutNoLayerOfWhichItIsNotKnownWhatDependsOnIt) {
  const Measured of;
  for (const ClassMethod method : {ClassMethod::GradientRollout, ClassMethod::LeGrad}) {
    EXPECT_EQ(borderedMap(method, of.input).obstacle,
              "bordered: what its attention makes of V is not known, so nothing can be followed "
              "through it");
  }
}

TEST(ClassMapMeasurement, PredictsNoClassIfTheNetworkAnswersWithNaN) {
  Measured of;
  of.input.values[0] = std::nanf("");
  const std::string expected =
      "the network answers with NaN, so that no class is predicted; choose one with --class";
  try {
    of.maps({.methods = {}});
    FAIL();
  } catch (const InspectionError& error) {
    EXPECT_EQ(error.what(), expected);
  }
  EXPECT_EQ(of.maps({.classIndex = 1, .methods = {}}).classIndex, 1);

  Inspection inspection{.layers = {{.name = "first"}}};
  addGradientProducts(Model(ModelSummary(), of.network), of.input, {}, inspection, {});
  EXPECT_EQ(inspection.layers[0].gradientObstacle, expected);
}

}  // namespace
}  // namespace softscope
