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

class PublishedSoftTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedSoftTest, IsIdentifiedFromNamesAndShapes) {
  const std::string variant = GetParam();
  const ModelSummary summary = identifyModel(zeros(variant));
  const bool norm = variant.find("norm") != std::string::npos;
  EXPECT_EQ(summary.family, "soft");
  EXPECT_EQ(summary.variant, variant);
  EXPECT_EQ(summary.mechanism, norm ? "soft++" : "soft");
  EXPECT_EQ(summary.parameters, publishedParameters(variant));
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.heads.size(), 4u);
  EXPECT_EQ(summary.heads.back(), 16);
  EXPECT_EQ(summary.confidence(), norm ? 0.9 : 0.5);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedSoftTest,
                         ::testing::Values("soft_tiny", "soft_small", "soft_medium", "soft_large",
                                           "soft_huge", "soft_norm_tiny", "soft_norm_small",
                                           "soft_norm_medium", "soft_norm_large",
                                           "soft_norm_huge"));

TEST(SoftIdentification, ListsLayersByTheirPublishedNames) {
  const ModelSummary summary = identifyModel(zeros("soft_tiny"));
  ASSERT_EQ(summary.layers.size(), 8u);
  EXPECT_EQ(summary.layers.front().name, "block1.0.att.mha.attn");
  EXPECT_EQ(summary.layers.front().heads, 2);
  EXPECT_EQ(summary.layers.back().name, "block4.1.attn");
  EXPECT_EQ(summary.layers.back().mechanism, "softmax");
  EXPECT_EQ(summary.layers.back().stage, 4);
}

TEST(SoftIdentification, NamesWhatIsMissingUnexpectedOrOfTheWrongShape) {
  const std::string lost = "block3.1.att.ff1.weight";
  Checkpoint damaged = without(zeros("soft_tiny"), lost);
  damaged.state.insert("optimizer_state", torch::zeros({3}));
  damaged.state.insert("block2.0.att.mha.W_q.weight", torch::zeros({128, 64}));
  const ModelSummary summary = identifyModel(damaged);
  EXPECT_EQ(summary.variant, "soft_tiny");
  EXPECT_THAT(summary.missing, ElementsAre(lost));
  EXPECT_THAT(summary.unexpected, ElementsAre("optimizer_state"));
  EXPECT_THAT(summary.wrongShape,
              ElementsAre("block2.0.att.mha.W_q.weight is [128, 64], expected [128, 128]"));
}

TEST(SoftIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  const Checkpoint whole = zeros("soft_tiny");
  for (const auto& entry : whole.state.entries()) {
    if (entry.name.find("num_batches_tracked") != std::string::npos) continue;
    SCOPED_TRACE(entry.name);
    const ModelSummary summary = identifyModel(without(whole, entry.name));
    EXPECT_EQ(summary.variant, "soft_tiny");
    EXPECT_THAT(summary.missing, ElementsAre(entry.name));
    EXPECT_THAT(summary.unexpected, IsEmpty());
  }
}

TEST(SoftIdentification, AHeadAbsentAsAWholeIsABackbone) {
  const ModelSummary summary =
      identifyModel(without(without(zeros("soft_tiny"), "head.weight"), "head.bias"));
  EXPECT_EQ(summary.classes, 0);
  EXPECT_THAT(summary.missing, IsEmpty());
}

TEST(SoftIdentification, TheMechanismComesFromTheUserThenTheFileThenItsName) {
  Checkpoint checkpoint = zeros("soft_tiny");
  const auto mechanism = [&](std::optional<std::string> asked = {}) {
    ModelRequest request;
    request.attention = asked;
    return identifyModel(checkpoint, request);
  };
  EXPECT_EQ(mechanism().mechanism, "soft");
  EXPECT_THAT(mechanism().alternatives, ElementsAre("soft", "soft++", "gaussian"));

  // `soft` is the family's name in a training script's arguments, and decides nothing.
  checkpoint.metadata["args.model"] = "soft";
  checkpoint.path = "folder/soft_norm_mine.pth";
  EXPECT_EQ(mechanism().mechanism, "soft++");
  EXPECT_FALSE(mechanism().counterfactual);

  checkpoint.metadata["mechanism"] = "soft";
  EXPECT_EQ(mechanism().mechanism, "soft");
  EXPECT_EQ(mechanism().confidence(), 1.0);

  ModelRequest named;
  named.architecture = "soft_tiny";
  EXPECT_EQ(identifyModel(checkpoint, named).mechanism, "soft");
  named.architecture = "soft_norm_tiny";
  EXPECT_THROW(identifyModel(checkpoint, named), ModelError) << "the file says that it is SOFT";

  EXPECT_EQ(mechanism("soft_norm").mechanism, "soft++");
  EXPECT_TRUE(mechanism("soft++").counterfactual);
  EXPECT_TRUE(mechanism("gaussian").counterfactual);
  EXPECT_THROW(mechanism("sima"), ModelError);

  checkpoint.metadata["mechanism"] = "SOFT_norm";
  EXPECT_EQ(mechanism().mechanism, "soft++");
}

TEST(SoftIdentification, FileNamesOfFoldersDecideNothing) {
  Checkpoint checkpoint = zeros("soft_tiny");
  checkpoint.path = "/runs/norm/soft_tiny.pth";
  EXPECT_EQ(identifyModel(checkpoint).mechanism, "soft");
}

TEST(SoftIdentification, AnotherArchitectureIsRefused) {
  ModelRequest request;
  request.architecture = "soft_huge";
  EXPECT_THROW(identifyModel(zeros("soft_tiny"), request), ModelError);
  request.architecture = "no_such_thing";
  EXPECT_THROW(identifyModel(zeros("soft_tiny"), request), ModelError);
  request.architecture = "soft_norm_tiny";
  EXPECT_EQ(identifyModel(zeros("soft_tiny"), request).mechanism, "soft++");
}

TEST(SoftIdentification, AnArchitectureThatWasGivenDecidesBeforeTheFilesName) {
  Checkpoint checkpoint = zeros("soft_tiny");
  checkpoint.path = "soft_tiny_normal.pth";
  EXPECT_EQ(identifyModel(checkpoint).mechanism, "soft++");
  ModelRequest request;
  request.architecture = "soft_tiny";
  EXPECT_EQ(identifyModel(checkpoint, request).mechanism, "soft");
  EXPECT_EQ(identifyModel(checkpoint, request).confidence(), 1.0);
}

TEST(SoftIdentification, TensorsOfNoKnownNetworkAreNamed) {
  Checkpoint checkpoint;
  checkpoint.path = "other.pth";
  checkpoint.state.insert("conv1.weight", torch::zeros({64, 3, 7, 7}));
  try {
    identifyModel(checkpoint);
    FAIL() << "recognised a network that is not there";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("other.pth"));
    EXPECT_THAT(error.what(), HasSubstr("conv1.weight"));
  }
}

TEST(SoftIdentification, MetadataSaysClassesAndPreparation) {
  Checkpoint checkpoint = zeros("soft_tiny");
  for (const char* name : {"head.weight", "head.bias"}) {
    auto shape = checkpoint.state.find(name)->sizes().vec();
    shape[0] = 2;
    checkpoint.state.insert(name, torch::zeros(shape));
  }
  checkpoint.metadata = {
      {"classes", R"(["cat", "dog"])"}, {"input_size", "160"},     {"crop", "0.889"},
      {"mean", "0.5,0.5,0.5"},          {"std", "0.25,0.25,0.25"}, {"filter", "bilinear"}};
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_THAT(summary.classNames, ElementsAre("cat", "dog"));
  EXPECT_EQ(summary.transform.height, 160);
  EXPECT_EQ(summary.transform.width, 160);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.889);
  EXPECT_FLOAT_EQ(summary.transform.mean[2], 0.5f);
  EXPECT_FLOAT_EQ(summary.transform.deviation[1], 0.25f);
  EXPECT_EQ(summary.transform.filter, InputTransform::Filter::Bilinear);
}

TEST(SoftIdentification, DamagedMetadataIsLeftOut) {
  Checkpoint checkpoint = zeros("soft_tiny");
  checkpoint.metadata = {
      {"classes", "[1, 2"}, {"input_size", "-3"}, {"crop", "7"}, {"mean", "0.5;0.5"}};
  const ModelSummary summary = identifyModel(checkpoint);
  ASSERT_EQ(summary.classNames.size(), 1000u) << "a thousand classes without names are ImageNet's";
  EXPECT_EQ(summary.classNames.front(), "tench");
  EXPECT_EQ(summary.transform.height, 224);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.9);
  EXPECT_FLOAT_EQ(summary.transform.mean[0], 0.485f);
}

}  // namespace
}  // namespace softscope
