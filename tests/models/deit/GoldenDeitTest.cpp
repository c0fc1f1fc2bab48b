#include "core/Error.h"
#include "core/inspect/Inspector.h"
#include "models/vit/VitNetwork.h"
#include "tests/models/Golden.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

/// Parity with outputs of the authors' code, on a picture that is not square: softmax, and SimA's
/// attention in the same backbone.
class GoldenDeitTest : public ::testing::TestWithParam<const char*> {
 protected:
  GoldenDeitTest() : golden_("deit" + suffix(), {.attention = GetParam()}) {}

  static std::string suffix() { return std::string(GetParam()) == "sima" ? "_sima" : ""; }

  Golden golden_;
};

TEST_P(GoldenDeitTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenDeitTest, EveryRowOfEveryLayer) {
  expectAttention(golden_);
  for (const LayerInspection& layer : golden_.inspection->layers) {
    const AttentionDescription& description = layer.attention->description();
    EXPECT_EQ(description.mechanism, GetParam());
    EXPECT_EQ(description.prefixTokens, 1);
    EXPECT_EQ(description.queryGrid, (TokenGrid{4, 6}));
    EXPECT_EQ(description.keyGrid, (TokenGrid{4, 6}));
  }
}

TEST_P(GoldenDeitTest, L1NormsOfQueriesAndKeys) {
  EXPECT_EQ(expectL1(golden_), 2);
}

INSTANTIATE_TEST_SUITE_P(Deit, GoldenDeitTest, ::testing::Values("softmax", "sima"));

TEST(GoldenDeit, PositionsThatMakeNoSquareTakeOnlyTheirOwnNumberOfPatches) {
  const Golden golden("deit");
  EXPECT_EQ(golden.model->summary().transform.height, 64);
  EXPECT_EQ(golden.model->summary().transform.width, 96);
  const InputTensor turned{96, 64, golden.input().values};
  EXPECT_NO_THROW(inspect(*golden.model, turned));
  const InputTensor larger{96, 96, std::vector<float>(3 * 96 * 96)};
  EXPECT_THROW(inspect(*golden.model, larger), InspectionError);
}

TEST(VitNetwork, TakesPicturesOfWholePatches) {
  const VitNetwork network(smallVit());
  EXPECT_NO_THROW(network.checkInputSize(224, 224));
  EXPECT_NO_THROW(network.checkInputSize(16, 1600));
  try {
    network.checkInputSize(224, 230);
    FAIL() << "took a picture with half a patch";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("multiples of 16"));
  }
  EXPECT_THROW(network.checkInputSize(0, 224), InspectionError);
}

/// A network of zeros: its logits are the biases of its heads.
TEST(VitNetwork, ADistilledModelAveragesItsHeads) {
  const torch::NoGradGuard noGradient;
  VitConfiguration configuration = smallVit();
  configuration.distillationToken = true;
  configuration.names.distillationHead = "head_dist";
  configuration.prefixPositions = 2;
  configuration.positions = 4;
  configuration.classes = 3;
  VitNetwork network(configuration);
  for (torch::Tensor parameter : network.parameters()) parameter.zero_();
  network.named_parameters()["head.bias"].fill_(2);
  network.named_parameters()["head_dist.bias"].fill_(5);
  const torch::Tensor logits = network.forward(torch::ones({1, 3, 48, 32}), nullptr);
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_TRUE(at::allclose(logits, torch::full({1, 3}, 3.5f)));
}

TEST(Positions, AreResizedBicubicallyWithoutTheirPrefix) {
  // PyTorch's interpolate(mode="bicubic", align_corners=False) of these nine to 2 x 4.
  const torch::Tensor table =
      torch::tensor({100.f, 200.f, 1.f, 2.f, 4.f, 8.f, -3.f, 5.f, 7.f, 0.f, 6.f}).view({1, 11, 1});
  const torch::Tensor resized = resizePositions(table, 2, {2, 4}, PositionResize::Plain);
  const std::vector<float> values(resized.data_ptr<float>(), resized.data_ptr<float>() + 10);
  const std::vector<float> expected{100.0000f, 200.0000f, 2.7546f, 1.0550f, 1.7933f,
                                    4.4376f,   8.0704f,   1.4134f, 0.6310f, 6.2869f};
  EXPECT_THAT(values, Pointwise(FloatNear(1e-4f), expected));
  EXPECT_TRUE(resizePositions(table, 2, {3, 3}, PositionResize::Plain).is_same(table));
}

}  // namespace
}  // namespace softscope
