#include "core/Error.h"
#include "core/network/ClassMapMeasurement.h"
#include "core/network/Network.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <string>

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
  EXPECT_NEAR(maps.probability, logits.softmax(0).max().item<double>(), 1e-6);
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

}  // namespace
}  // namespace softscope
