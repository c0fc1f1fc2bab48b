#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/core/ErrorMessage.h"
#include "tests/models/identify/ExtendedCheckpoint.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct RalaVariant {
  const char* name;
  std::vector<int> heads;
  std::size_t layers;

  friend void PrintTo(const RalaVariant& variant, std::ostream* stream) { *stream << variant.name; }
};

class PublishedRalaTest : public ::testing::TestWithParam<RalaVariant> {};

TEST_P(PublishedRalaTest, IsIdentifiedFromNamesAndShapes) {
  const auto& [name, heads, layers] = GetParam();
  const ModelSummary summary = identifyModel(zeros(name));
  EXPECT_EQ(summary.family, "rala");
  EXPECT_EQ(summary.variant, name);
  EXPECT_EQ(summary.mechanism, "rala");
  EXPECT_EQ(summary.parameters, publishedParameters(name));
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.heads, heads);
  EXPECT_EQ(summary.layers.size(), layers);
  EXPECT_EQ(summary.confidence(), 1.0);
  EXPECT_THAT(summary.headsAlternatives, IsEmpty());
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.875);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedRalaTest,
                         ::testing::Values(RalaVariant{"ravlt_t", {1, 2, 4, 8}, 12},
                                           RalaVariant{"ravlt_s", {1, 2, 5, 8}, 20},
                                           RalaVariant{"ravlt_b", {1, 2, 6, 8}, 28},
                                           RalaVariant{"ravlt_l", {1, 2, 7, 10}, 38}));

TEST(RalaIdentification, ListsLayersByStage) {
  const ModelSummary summary = identifyModel(zeros("ravlt_t"));
  EXPECT_EQ(summary.layers.front().name, "layers.0.blocks.0.attn");
  EXPECT_EQ(summary.layers.front().mechanism, "rala");
  EXPECT_EQ(summary.layers[4].name, "layers.2.blocks.0.attn");
  EXPECT_EQ(summary.layers[4].mechanism, "softmax");
  EXPECT_EQ(summary.layers[4].stage, 3);
}

TEST(RalaIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  const Checkpoint whole = zeros("ravlt_t");
  // The rates of the rotations are what tells the heads.
  expectEachTensorMayBeLost(whole, "ravlt_t",
                            [](const std::string& name) { return name.ends_with(".angle"); });
  EXPECT_THROW(identifyModel(without(whole, "layers.1.RoPE.angle")), ModelError);
}

TEST(RalaIdentification, LayerScalesAreOptional) {
  Checkpoint checkpoint = zeros("ravlt_t");
  StateDict state;
  for (const auto& entry : checkpoint.state.entries()) {
    if (entry.name.find(".gamma_") == std::string::npos) state.insert(entry.name, entry.tensor);
  }
  checkpoint.state = state;
  const ModelSummary summary = identifyModel(checkpoint);
  EXPECT_EQ(summary.variant, "ravlt_t");
  EXPECT_THAT(summary.missing, IsEmpty());
}

/// Returns a RAVLT with another number of channels behind its last stage.
Checkpoint projectedTo(const std::string& variant, std::int64_t channels) {
  return withTensors(zeros(variant), [&](std::string& name, torch::Tensor& tensor) {
    std::vector<std::int64_t> shape = tensor.sizes().vec();
    if (name.starts_with("head.") && shape.size() > 1) shape[1] = channels;
    const bool isOfAll = name.starts_with("norm.") && !shape.empty();
    if (name.starts_with("proj.") || isOfAll) shape[0] = channels;
    tensor = torch::zeros({}).expand(shape);
  });
}

TEST(RalaIdentification, MalaIsRefusedByNameAtItsSizes) {
  for (const auto& [name, channels] : {std::pair("ravlt_t", 2048), std::pair("ravlt_s", 2048),
                                       std::pair("ravlt_b", 2048), std::pair("ravlt_l", 2560)}) {
    SCOPED_TRACE(name);
    const Checkpoint mala = projectedTo(name, channels);
    EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(mala); }),
                HasSubstr("this is MALA"));
  }
  Checkpoint named = projectedTo("ravlt_t", 512);
  for (const char* name : {"MALA_T.pth", "mala.pth", "mala-s.pth"}) {
    named.path = name;
    EXPECT_THAT(test::messageOf<ModelError>([&] { identifyModel(named); }),
                HasSubstr("this is MALA"));
  }
  named.path = "malaria.pth";
  EXPECT_EQ(identifyModel(named).family, "rala") << "a picture's subject, no network";
}

TEST(RalaIdentification, AtOtherSizesTheAttentionIsAGuess) {
  Checkpoint other = projectedTo("ravlt_t", 512);
  other.path = "best.pth";
  const ModelSummary summary = identifyModel(other);
  EXPECT_EQ(summary.variant, "custom");
  ASSERT_NE(summary.setting("attention"), nullptr);
  EXPECT_TRUE(summary.setting("attention")->isUndetermined());
  EXPECT_LE(summary.mechanismConfidence, 0.5);
  ModelRequest request;
  request.attention = "rala";
  EXPECT_EQ(identifyModel(other, request).setting("attention"), nullptr);
  EXPECT_EQ(identifyModel(zeros("ravlt_t")).setting("attention"), nullptr);
}

TEST(RalaIdentification, HeadsAndMechanismAreTold) {
  ModelRequest request;
  request.heads = 4;
  EXPECT_THROW(identifyModel(zeros("ravlt_t"), request), ModelError);
  request = {};
  request.attention = "softmax";
  EXPECT_THROW(identifyModel(zeros("ravlt_t"), request), ModelError);
}

}  // namespace
}  // namespace softscope
