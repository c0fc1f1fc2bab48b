#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

using ::testing::HasSubstr;

struct LinearDeitCase {
  const char* folder;
  int heads;
  int prefixTokens;
  TokenGrid grid;

  friend void PrintTo(const LinearDeitCase& subject, std::ostream* stream) {
    *stream << subject.folder;
  }
};

/// Parity with outputs of the authors' code: InLine-, Agent- and SLAB-DeiT.
class GoldenLinearDeitTest : public ::testing::TestWithParam<LinearDeitCase> {
 protected:
  Golden golden_{GetParam().folder};
};

TEST_P(GoldenLinearDeitTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenLinearDeitTest, EveryRowOfEveryLayer) {
  expectAttention(golden_);
}

TEST_P(GoldenLinearDeitTest, IsDescribedAsItIs) {
  const LinearDeitCase& expected = GetParam();
  const ModelSummary& summary = golden_.model->summary();
  EXPECT_EQ(summary.family, expected.folder);
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_EQ(summary.heads, std::vector<int>{expected.heads});
  EXPECT_EQ(summary.headsConfidence, 1);
  EXPECT_FALSE(summary.counterfactual);
  const nlohmann::json& layers = golden_.meta.at("layers");
  ASSERT_EQ(summary.layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto mechanism = layers[i].at("mechanism").get<std::string>();
    const AttentionDescription& description =
        golden_.inspection->layers[i].attention->description();
    EXPECT_EQ(summary.layers[i].name, layers[i].at("name").get<std::string>());
    EXPECT_EQ(summary.layers[i].mechanism, mechanism);
    EXPECT_EQ(summary.layers[i].heads, description.heads);
    EXPECT_EQ(description.mechanism, mechanism);
    EXPECT_EQ(description.prefixTokens, expected.prefixTokens);
    EXPECT_EQ(description.queryGrid, expected.grid);
    EXPECT_EQ(description.keyGrid, expected.grid);
  }
}

TEST_P(GoldenLinearDeitTest, AConvolutionWithAFilterForEveryChannelIsNoMap) {
  for (const LayerInspection& layer : golden_.inspection->layers) {
    const bool filtered = layer.attention->description().mechanism != "softmax";
    EXPECT_EQ(layer.attention->description().filtersChannels, filtered);
    EXPECT_FALSE(hasMap(layer, ShownMap::Effective));
    EXPECT_THAT(withoutConvolution(layer),
                HasSubstr(filtered ? "a filter for each channel" : "no convolution of V"));
  }
}

TEST_P(GoldenLinearDeitTest, TakesPicturesOfItsPositionsAlone) {
  const InputTransform& transform = golden_.model->summary().transform;
  EXPECT_EQ(transform.height, golden_.input().height);
  EXPECT_EQ(transform.width, golden_.input().width);
  const int patch = golden_.meta.at("config").at("patch_size").get<int>();
  for (const auto& [height, width] : {std::pair(transform.height, transform.width + patch),
                                      std::pair(transform.height + patch, transform.width)}) {
    const InputTensor input{height, width,
                            std::vector<float>(static_cast<std::size_t>(3 * height * width))};
    try {
      inspect(*golden_.model, input);
      ADD_FAILURE() << "took a picture without positions";
    } catch (const InspectionError& error) {
      const std::string side = std::to_string(transform.height);
      EXPECT_THAT(error.what(), HasSubstr("takes pictures of " + side + " x " + side + " alone"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LinearDeits, GoldenLinearDeitTest,
                         ::testing::Values(LinearDeitCase{"inline_deit", 3, 1, {6, 6}},
                                           LinearDeitCase{"agent_deit", 2, 1, {8, 8}},
                                           LinearDeitCase{"slab_deit", 2, 0, {14, 14}}));

TEST(InlineAttention, RowsSumToOneAndMayBeNegative) {
  const Golden golden("inline_deit");
  float smallest = 0;
  for (const LayerInspection& layer : golden.inspection->layers) {
    for (int query = 0; query < layer.attention->description().queries; ++query) {
      const Vector row = layer.attention->row(1, query);
      EXPECT_NEAR(row.sum(), 1, 1e-4);
      smallest = std::min(smallest, row.minCoeff());
    }
  }
  EXPECT_LT(smallest, 0);
}

}  // namespace
}  // namespace softscope
