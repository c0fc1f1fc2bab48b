#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct LinearPvtCase {
  const char* folder;
  /// Maps that each head has.
  int maps;

  friend void PrintTo(const LinearPvtCase& subject, std::ostream* stream) {
    *stream << subject.folder;
  }
};

/// Parity with outputs of the authors' code: FLatten- and PolaFormer-PVT, with coarser keys in the
/// first stage.
class GoldenLinearPvtTest : public ::testing::TestWithParam<LinearPvtCase> {
 protected:
  Golden golden_{GetParam().folder};
};

TEST_P(GoldenLinearPvtTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenLinearPvtTest, EveryRowOfEveryLayer) {
  expectAttention(golden_);
}

TEST_P(GoldenLinearPvtTest, IsDescribedAsItIs) {
  const ModelSummary& summary = golden_.model->summary();
  EXPECT_EQ(summary.family, GetParam().folder);
  EXPECT_EQ(summary.variant, "custom");
  EXPECT_THAT(summary.heads, ElementsAre(2, 2, 2, 3));
  EXPECT_EQ(summary.headsConfidence, 1);
  const nlohmann::json& layers = golden_.meta.at("layers");
  ASSERT_EQ(summary.layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const AttentionDescription& description =
        golden_.inspection->layers[i].attention->description();
    EXPECT_EQ(summary.layers[i].name, layers[i].at("name").get<std::string>());
    EXPECT_EQ(description.mechanism, layers[i].at("mechanism").get<std::string>());
    EXPECT_EQ(summary.layers[i].heads, description.heads);
    const auto keys = layers[i].at("key_grid").get<std::vector<int>>();
    EXPECT_EQ(description.keyGrid, (TokenGrid{keys[0], keys[1]}));
    EXPECT_EQ(description.prefixTokens, 0);
    EXPECT_THAT(withoutConvolution(golden_.inspection->layers[i]),
                HasSubstr("a filter for each channel"));
  }
  EXPECT_EQ(summary.layers.back().heads, 3 * GetParam().maps);
}

TEST_P(GoldenLinearPvtTest, TakesPicturesOfItsPositionsAlone) {
  const InputTensor input{64, 96, std::vector<float>(3 * 64 * 96)};
  try {
    inspect(*golden_.model, input);
    ADD_FAILURE() << "took a picture without positions";
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("takes pictures of 64 x 64 alone, not of 64 x 96"));
  }
}

INSTANTIATE_TEST_SUITE_P(LinearPvts, GoldenLinearPvtTest,
                         ::testing::Values(LinearPvtCase{"flatten_pvt", 1},
                                           LinearPvtCase{"pola_pvt", 2}));

}  // namespace
}  // namespace softscope
