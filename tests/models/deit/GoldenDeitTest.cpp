#include "core/Error.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "core/network/NetworkRun.h"
#include "models/vit/VitModel.h"
#include "tests/models/Golden.h"
#include "tests/models/vit/SmallVit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

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

/// DeiT's published forward pass of the class token and some patches, from the file's tensors by
/// plain products in float64: patches first, then positions, then those that are left out go.
torch::Tensor logitsOfPatches(const StateDict& state, const torch::Tensor& picture,
                              const std::vector<std::int64_t>& kept) {
  const auto at = [&](const std::string& name) { return state.find(name)->to(torch::kFloat64); };
  const auto norm = [&](const torch::Tensor& x, const std::string& name) {
    const torch::Tensor centred = x - x.mean(-1, true);
    const torch::Tensor variance = (centred * centred).mean(-1, true);
    return centred / (variance + 1e-6).sqrt() * at(name + ".weight") + at(name + ".bias");
  };
  const auto linear = [&](const torch::Tensor& x, const std::string& name) {
    return x.matmul(at(name + ".weight").t()) + at(name + ".bias");
  };
  // [4, 16, 6, 16] pixels of each channel to [24, 3 * 16 * 16].
  const torch::Tensor pixels = picture.to(torch::kFloat64)
                                   .view({3, 4, 16, 6, 16})
                                   .permute({1, 3, 0, 2, 4})
                                   .reshape({24, 768});
  const torch::Tensor weight = at("patch_embed.proj.weight").view({128, 768});
  const torch::Tensor patches = pixels.matmul(weight.t()) + at("patch_embed.proj.bias");
  torch::Tensor x = torch::cat({at("cls_token")[0], patches}) + at("pos_embed")[0];
  std::vector<torch::Tensor> rows{x[0]};
  for (const std::int64_t patch : kept) rows.push_back(x[patch + 1]);
  x = torch::stack(rows);
  for (const std::string block : {"blocks.0.", "blocks.1."}) {
    const torch::Tensor all = linear(norm(x, block + "norm1"), block + "attn.qkv");
    std::vector<torch::Tensor> heads;
    for (std::int64_t head = 0; head < 2; ++head) {
      const auto part = [&](std::int64_t i) {
        return all.slice(1, i * 128 + head * 64, i * 128 + (head + 1) * 64);
      };
      heads.push_back(part(0).matmul(part(1).t()).div(8).softmax(-1).matmul(part(2)));
    }
    x = x + linear(torch::cat(heads, 1), block + "attn.proj");
    const torch::Tensor hidden = linear(norm(x, block + "norm2"), block + "mlp.fc1");
    x = x + linear(hidden * 0.5 * (1 + torch::erf(hidden / std::sqrt(2.0))), block + "mlp.fc2");
  }
  return linear(norm(x, "norm")[0], "head");
}

TEST(GoldenDeit, TokensThatAreLeftOutTakeNoPart) {
  const Golden golden("deit", {.attention = "softmax"});
  const StateDict state = readCheckpoint(golden.path("checkpoint.pth")).state;
  InputTensor input = golden.input();
  const torch::Tensor picture = torch::from_blob(input.values.data(), {3, 64, 96}).clone();
  const std::vector<std::vector<int>> choices{{}, {7}, {3, 4, 10, 23}, {23, 4, 10, 3}};
  for (const std::vector<int>& kept : choices) {
    const torch::Tensor expected =
        logitsOfPatches(state, picture, {kept.begin(), kept.end()}).contiguous();
    const std::vector<float> logits = runNetworkOnTokens(*golden.model, input, kept);
    ASSERT_EQ(logits.size(), 10u);
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(logits[static_cast<std::size_t>(i)], expected[i].item<double>(), 1e-4);
    }
  }
  std::vector<int> all(24);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_THAT(runNetworkOnTokens(*golden.model, input, all),
              Pointwise(FloatNear(1e-5f), golden.inspection->logits));
  // What is not kept may be anything.
  const std::vector<float> before = runNetworkOnTokens(*golden.model, input, {0, 1});
  for (std::size_t i = 32; i < 96; ++i) input.values[i] = 100;
  EXPECT_EQ(runNetworkOnTokens(*golden.model, input, {0, 1}), before);
}

TEST(VitNetwork, LeavesTokensOutOnlyWhereTheClassTokenAnswers) {
  VitConfiguration configuration = smallVit();
  configuration.classes = 3;
  configuration.pooling = VitPooling::Patches;
  VitNetwork network(configuration);
  const torch::Tensor kept = torch::tensor({0, 1}, torch::kInt64);
  try {
    network.forwardTokens(torch::zeros({1, 3, 224, 224}), kept);
    FAIL() << "left out what the answer is the mean of";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("made of its patches"));
  }
}

TEST(VitNetwork, OtherNetworksNeedAllTokens) {
  for (const char* folder : {"soft", "xcit", "t2t_transformer", "cvt"}) {
    SCOPED_TRACE(folder);
    const Golden golden(folder);
    EXPECT_THROW(runNetworkOnTokens(*golden.model, golden.input(), {0, 1}), InspectionError);
  }
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
