#include "core/Error.h"
#include "models/OpenModel.h"
#include "tests/models/identify/PublishedLayouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct MilaVariant {
  const char* name;
  std::vector<int> heads;
  std::size_t layers;

  friend void PrintTo(const MilaVariant& variant, std::ostream* stream) { *stream << variant.name; }
};

class PublishedMilaTest : public ::testing::TestWithParam<MilaVariant> {};

TEST_P(PublishedMilaTest, IsIdentifiedFromNamesAndShapes) {
  const auto& [name, heads, layers] = GetParam();
  const ModelSummary summary = identifyModel(zeros(name));
  EXPECT_EQ(summary.family, "mlla");
  EXPECT_EQ(summary.variant, name);
  EXPECT_EQ(summary.mechanism, "mlla");
  EXPECT_EQ(summary.parameters, publishedParameters(name));
  EXPECT_EQ(summary.classes, 1000);
  EXPECT_EQ(summary.heads, heads) << "of 32 channels";
  EXPECT_EQ(summary.layers.size(), layers);
  EXPECT_EQ(summary.confidence(), 1.0);
  EXPECT_THAT(summary.headsAlternatives, IsEmpty());
  EXPECT_EQ(summary.transform.height, 224);
  EXPECT_DOUBLE_EQ(summary.transform.cropFraction, 0.875);
  EXPECT_THAT(summary.missing, IsEmpty());
  EXPECT_THAT(summary.unexpected, IsEmpty());
  EXPECT_THAT(summary.wrongShape, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Layouts, PublishedMilaTest,
                         ::testing::Values(MilaVariant{"mlla_tiny", {2, 4, 8, 16}, 18},
                                           MilaVariant{"mlla_small", {2, 4, 8, 16}, 36},
                                           MilaVariant{"mlla_base", {3, 6, 12, 24}, 36}));

TEST(MilaIdentification, ListsLayersByStage) {
  const ModelSummary summary = identifyModel(zeros("mlla_tiny"));
  EXPECT_EQ(summary.layers.front().name, "layers.0.blocks.0.attn");
  EXPECT_EQ(summary.layers[2].name, "layers.1.blocks.0.attn");
  EXPECT_EQ(summary.layers[2].stage, 2);
  EXPECT_EQ(summary.layers[2].heads, 4);
}

TEST(MilaIdentification, EveryTensorMayBeLostAndTheRestIsStillRecognised) {
  // The other blocks of a stage are as its first.
  expectEachTensorMayBeLost(zeros("mlla_tiny"), "mlla_tiny", [](const std::string& name) {
    const bool first = name.find(".blocks.0.") != std::string::npos;
    return !first && name.find(".blocks.") != std::string::npos;
  });
}

TEST(MilaIdentification, HeadsOfOtherDepthsAreAssumedToBeAsWide) {
  Checkpoint checkpoint = zeros("mlla_tiny");
  StateDict state;
  for (const auto& entry : checkpoint.state.entries()) {
    if (!entry.name.starts_with("layers.3.blocks.3.")) state.insert(entry.name, entry.tensor);
  }
  checkpoint.state = state;
  const ModelSummary assumed = identifyModel(checkpoint);
  EXPECT_EQ(assumed.variant, "custom");
  EXPECT_THAT(assumed.heads, ElementsAre(2, 4, 8, 16));
  EXPECT_LT(assumed.headsConfidence, 1);
  EXPECT_THAT(assumed.headsAlternatives, ::testing::Contains(8));
}

TEST(MilaIdentification, HeadsMayBeChosen) {
  ModelRequest request;
  request.heads = 8;
  const ModelSummary summary = identifyModel(zeros("mlla_tiny"), request);
  EXPECT_THAT(summary.heads, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(summary.variant, "custom");
  request.heads = 5;
  EXPECT_THROW(identifyModel(zeros("mlla_tiny"), request), ModelError);
  // Rotations turn channels in pairs, which one head has.
  request.heads = 512;
  EXPECT_THROW(identifyModel(zeros("mlla_tiny"), request), ModelError);
}

TEST(MilaIdentification, BothOfItsNamesAskForItsMechanism) {
  ModelRequest request;
  for (const char* name : {"mlla", "MILA"}) {
    request.attention = name;
    EXPECT_EQ(identifyModel(zeros("mlla_tiny"), request).mechanism, "mlla");
  }
  request.attention = "softmax";
  EXPECT_THROW(identifyModel(zeros("mlla_tiny"), request), ModelError);
}

}  // namespace
}  // namespace softscope
