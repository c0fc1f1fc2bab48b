#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct PublishedT2t {
  const char* variant;
  int heads;
  std::size_t blocks;
};

class PublishedT2tTest : public ::testing::TestWithParam<PublishedT2t> {};

TEST_P(PublishedT2tTest, IsIdentifiedFromNamesAndShapes) {
  const auto [variant, heads, blocks] = GetParam();
  const bool performer = std::string(variant).find("vit_t_") == std::string::npos;
  Checkpoint checkpoint = zeros(variant);
  checkpoint.path = "checkpoint.pth.tar";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.family, "t2t_vit");
  EXPECT_EQ(summary.variant, variant);
  EXPECT_EQ(summary.mechanism, performer ? "performer" : "softmax");
  EXPECT_EQ(summary.alternatives.size(), performer ? 1u : 2u);
  EXPECT_EQ(summary.parameters, publishedParameters(variant));
  EXPECT_THAT(summary.heads, ElementsAre(1, 1, heads));
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.layers.size(), blocks + 2);
  EXPECT_EQ(summary.layers.front().name,
            performer ? "tokens_to_token.attention1" : "tokens_to_token.attention1.attn");
  EXPECT_EQ(summary.layers.front().mechanism, summary.mechanism);
  EXPECT_EQ(summary.layers.back().mechanism, "softmax");
  EXPECT_EQ(summary.layers.back().heads, heads);
  EXPECT_EQ(summary.transform.height, 224);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.9);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, PublishedT2tTest,
    ::testing::Values(PublishedT2t{"t2t_vit_7", 4, 7}, PublishedT2t{"t2t_vit_10", 4, 10},
                      PublishedT2t{"t2t_vit_12", 4, 12}, PublishedT2t{"t2t_vit_14", 6, 14},
                      PublishedT2t{"t2t_vit_19", 7, 19}, PublishedT2t{"t2t_vit_24", 8, 24},
                      PublishedT2t{"t2t_vit_t_14", 6, 14}, PublishedT2t{"t2t_vit_t_19", 7, 19},
                      PublishedT2t{"t2t_vit_t_24", 8, 24}));

TEST(T2tIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  for (const char* variant : {"t2t_vit_7", "t2t_vit_t_14"}) {
    expectEachTensorMayBeLost(zeros(variant), variant);
  }
}

TEST(T2tIdentification, ThirtyTwoHeadsAreToldByNameOnly) {
  Checkpoint checkpoint = zeros("t2t_vit_14");
  EXPECT_EQ(identifyModel(checkpoint).confidence(), 0.9);
  EXPECT_THAT(identifyModel(checkpoint).reason, HasSubstr("resnext"));
  EXPECT_THAT(identifyModel(checkpoint).headsAlternatives, ElementsAre(6, 32));

  ModelRequest request;
  request.architecture = "t2t_vit_14_resnext";
  EXPECT_EQ(identifyModel(checkpoint, request).heads.back(), 32);

  checkpoint.path = "81.5_T2T_ViT_14_ResNeXt.pth.tar";
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.variant, "t2t_vit_14_resnext");
  EXPECT_THAT(summary.heads, ElementsAre(1, 1, 32));
  EXPECT_EQ(summary.confidence(), 0.9);

  request.architecture = "t2t_vit_14";
  EXPECT_EQ(identifyModel(checkpoint, request).heads.back(), 6);
  request.architecture = "t2t_vit";
  EXPECT_EQ(identifyModel(checkpoint, request).heads.back(), 32);
  request.architecture.reset();
  request.heads = 32;
  EXPECT_EQ(identifyModel(zeros("t2t_vit_14"), request).variant, "t2t_vit_14_resnext");
  request.heads = 7;
  EXPECT_THROW(identifyModel(checkpoint, request), ModelError);

  checkpoint = zeros("t2t_vit_19");
  checkpoint.path = "resnext.pth";
  EXPECT_EQ(identifyModel(checkpoint).heads.back(), 7) << "published with fourteen blocks only";
}

TEST(T2tIdentification, SoftmaxAndNystromformerTokensAreToldByTheUserTheFileOrItsName) {
  Checkpoint checkpoint = zeros("t2t_vit_t_14");
  const auto summary = [&](std::optional<std::string> asked = {}) {
    ModelRequest request;
    request.attention = asked;
    return identifyModel(checkpoint, request);
  };
  checkpoint.path = "checkpoint.pth.tar";
  EXPECT_EQ(summary().mechanism, "softmax");
  EXPECT_EQ(summary().confidence(), 0.5);
  EXPECT_FALSE(summary("nystromformer").counterfactual);

  checkpoint.path = "81.7_T2T_ViTt_14.pth.tar";
  EXPECT_THAT(summary().alternatives, ElementsAre("softmax", "nystromformer"));
  EXPECT_FALSE(summary().counterfactual);
  EXPECT_TRUE(summary("nystromformer").counterfactual);
  EXPECT_EQ(summary("nystromformer").layers[1].mechanism, "nystromformer");
  EXPECT_EQ(summary("nystromformer").layers[2].mechanism, "softmax");

  checkpoint.path = "hydra_t2t_vit_14.pth.tar";
  EXPECT_FALSE(summary("nystromformer").counterfactual) << "hydra may be another mechanism";

  checkpoint.path = "T2t_vit_nys_14.pth.tar";
  EXPECT_EQ(summary().mechanism, "nystromformer");
  EXPECT_EQ(summary().confidence(), 0.9);
  EXPECT_THAT(summary().alternatives, ElementsAre("nystromformer", "softmax"));

  checkpoint.metadata["mechanism"] = "softmax";
  EXPECT_EQ(summary().mechanism, "softmax");
  EXPECT_EQ(summary().confidence(), 1.0);
  EXPECT_THROW(summary("performer"), ModelError);
}

TEST(T2tIdentification, PerformerTokensAllowNoOtherMechanism) {
  ModelRequest request;
  request.attention = "softmax";
  EXPECT_THROW(identifyModel(zeros("t2t_vit_7"), request), ModelError);
  request.attention = "performer";
  EXPECT_EQ(identifyModel(zeros("t2t_vit_7"), request).mechanism, "performer");
}

TEST(T2tIdentification, ADeitIsNotTakenForItNorItForADeit) {
  EXPECT_EQ(identifyModel(zeros("deit_tiny_patch16_224")).family, "deit");
  ModelRequest request;
  request.architecture = "t2t_vit_7";
  EXPECT_THROW(identifyModel(zeros("deit_tiny_patch16_224"), request), ModelError);
}

}  // namespace
}  // namespace softscope
