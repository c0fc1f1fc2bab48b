#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct PublishedLinearPvt {
  const char* size;
  std::size_t layers;
};

class PublishedLinearPvtTest : public ::testing::TestWithParam<PublishedLinearPvt> {};

TEST_P(PublishedLinearPvtTest, IsIdentifiedFromNamesAndShapes) {
  for (const std::string family : {"flatten_pvt", "pola_pvt"}) {
    const std::string variant = family + "_" + GetParam().size;
    SCOPED_TRACE(variant);
    Checkpoint checkpoint = zeros(variant);
    checkpoint.path = "checkpoint.pth";
    const ModelSummary summary = identifyModel(checkpoint);
    EXPECT_EQ(summary.family, family);
    EXPECT_EQ(summary.variant, variant);
    EXPECT_EQ(summary.confidence(), 1);
    EXPECT_THAT(summary.heads, ElementsAre(1, 2, 5, 8));
    EXPECT_EQ(summary.classes, 1000);
    EXPECT_EQ(summary.transform, (InputTransform{.extent = InputTransform::Extent::SqueezedCrop}));
    // The last norm takes no part.
    EXPECT_EQ(summary.parameters + 2 * 512, publishedParameters(variant));
    EXPECT_THAT(summary.unexpected, ElementsAre("norm.bias", "norm.weight"));
    ASSERT_EQ(summary.layers.size(), GetParam().layers);
    EXPECT_EQ(summary.layers.back().stage, 4);
    EXPECT_EQ(summary.layers.back().heads, family == "pola_pvt" ? 16 : 8);
    EXPECT_THAT(summary.missing, IsEmpty());
    EXPECT_THAT(summary.foreign, IsEmpty());
    EXPECT_THAT(summary.wrongShape, IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedLinearPvtTest,
                         ::testing::Values(PublishedLinearPvt{"tiny", 8},
                                           PublishedLinearPvt{"small", 16},
                                           PublishedLinearPvt{"medium", 28},
                                           PublishedLinearPvt{"large", 41}));

TEST(LinearPvtIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* variant : {"flatten_pvt_tiny", "pola_pvt_tiny"}) {
    const Checkpoint whole = zeros(variant);
    for (const auto& entry : whole.state.entries()) {
      SCOPED_TRACE(entry.name);
      const ModelSummary summary = identifyModel(without(whole, entry.name));
      EXPECT_EQ(summary.variant, variant);
      EXPECT_EQ(summary.missing.size(), entry.name.starts_with("norm.") ? 0u : 1u);
      EXPECT_THAT(summary.missing, Each(entry.name));
      EXPECT_THAT(summary.foreign, IsEmpty());
      EXPECT_THAT(summary.wrongShape, IsEmpty());
    }
  }
}

std::string objectionTo(const Checkpoint& checkpoint, const ModelRequest& request = {}) {
  return test::messageOf<ModelError>([&] { identifyModel(checkpoint, request); });
}

TEST(LinearPvtIdentification, HeadsAndMechanismAreThoseOfTheWeights) {
  for (const char* variant : {"flatten_pvt_tiny", "pola_pvt_tiny"}) {
    ModelRequest request;
    request.heads = 8;
    EXPECT_EQ(objectionTo(zeros(variant), request), "");
    request.heads = 4;
    EXPECT_THAT(objectionTo(zeros(variant), request), HasSubstr("say 8 heads; leave out --heads"));
    request.heads.reset();
    request.attention = "softmax";
    EXPECT_THAT(objectionTo(zeros(variant), request), HasSubstr("softmax"));
  }
}

TEST(LinearPvtIdentification, SlabWithLayerNormsIsNoFlatten) {
  Checkpoint checkpoint;
  checkpoint.path = "slab.pth";
  checkpoint.state.insert("blocks.0.norm1.weight", torch::zeros({32}));
  checkpoint.state.insert("blocks.0.attn.positional_encoding", torch::zeros({1, 196, 32}));
  checkpoint.state.insert("blocks.0.attn.dwc.weight", torch::zeros({16, 1, 5, 5}));
  EXPECT_THAT(objectionTo(checkpoint), HasSubstr("this is SLAB-DeiT"));
  checkpoint.state.insert("blocks.0.attn.scale", torch::zeros({1, 1, 32}));
  EXPECT_THAT(objectionTo(checkpoint), HasSubstr("FLatten-DeiT"));
}

TEST(LinearPvtIdentification, TheSameAttentionInOtherNetworksIsRefusedByName) {
  struct Relative {
    const char* parameter;
    std::vector<std::int64_t> shape;
    const char* name;
    const char* opened;
  };
  const Relative relatives[] = {
      {"layers.0.blocks.0.attn.positional_encoding", {1, 49, 96}, "FLatten-Swin", "FLatten-PVT"},
      {"stage1.0.attns.0.positional_encoding", {1, 56, 32}, "FLatten-CSwin", "FLatten-PVT"},
      {"layers.0.blocks.0.attn.power", {1, 3, 1, 32}, "PolaFormer-Swin", "PolaFormer-PVT"},
  };
  for (const Relative& relative : relatives) {
    SCOPED_TRACE(relative.parameter);
    Checkpoint checkpoint;
    checkpoint.path = "relative.pth";
    checkpoint.state.insert(relative.parameter, torch::zeros(relative.shape));
    EXPECT_THAT(objectionTo(checkpoint),
                AllOf(HasSubstr(std::string("this is ") + relative.name + ","),
                      HasSubstr(std::string("Softscope opens ") + relative.opened),
                      HasSubstr("docs/python.md"), Not(HasSubstr("\n"))));
  }
  Checkpoint second = zeros("flatten_pvt_tiny");
  second.state.insert("block1.0.mlp.dwconv.dwconv.weight", torch::zeros({512, 1, 3, 3}));
  EXPECT_THAT(objectionTo(second), HasSubstr("this is FLatten-PVTv2"));
}

TEST(LinearPvtIdentification, PositionsThatMakeNoSquareAreDamage) {
  Checkpoint checkpoint = without(zeros("flatten_pvt_tiny"), "pos_embed2");
  checkpoint.state.insert("pos_embed2", torch::zeros({1, 783, 128}));
  EXPECT_THAT(objectionTo(checkpoint), HasSubstr("783 positions of stage 2 make no square"));
}

}  // namespace
}  // namespace softscope
