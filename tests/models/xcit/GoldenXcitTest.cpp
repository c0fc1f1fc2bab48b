#include "core/checkpoint/Checkpoint.h"
#include "core/network/Inspector.h"
#include "models/identify/Families.h"
#include "models/identify/Parameters.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// Parity with outputs of the authors' code, on a picture that is not square. The narrow model
/// normalises the class token alone before its mlp, the wider one all tokens.
class GoldenXcitTest : public ::testing::TestWithParam<const char*> {
 protected:
  Golden golden_{GetParam()};
};

TEST_P(GoldenXcitTest, Logits) {
  expectLogits(golden_);
}

TEST_P(GoldenXcitTest, EveryStoredRowOfEveryLayer) {
  expectAttention(golden_);
}

TEST_P(GoldenXcitTest, MapsSayWhatTheirRowsAndColumnsAre) {
  const auto grid = golden_.meta.at("config").at("grid").get<std::vector<int>>();
  for (const LayerInspection& layer : golden_.inspection->layers) {
    SCOPED_TRACE(layer.name);
    const AttentionDescription& description = layer.attention->description();
    EXPECT_FALSE(description.queryGrid);
    if (layer.name.rfind("cls_", 0) == 0) {
      EXPECT_EQ(description.mechanism, "softmax_class");
      EXPECT_EQ(description.prefixTokens, 1);
      EXPECT_EQ(description.keyGrid, (TokenGrid{grid[0], grid[1]}));
      EXPECT_NEAR(layer.attention->row(0, 0).sum(), 1, 1e-5);
    } else {
      EXPECT_EQ(description.mechanism, "xca_channel");
      EXPECT_EQ(description.prefixTokens, 0);
      EXPECT_FALSE(description.keyGrid);
      // Softmax along the channels of k: a row sums to one, a column need not.
      EXPECT_NEAR(layer.attention->row(1, 3).sum(), 1, 1e-5);
      EXPECT_GT(std::abs(layer.attention->column(1, 3).sum() - 1), 1e-3);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Xcit, GoldenXcitTest, ::testing::Values("xcit", "xcit_192"));

TEST(XcitNetwork, ADetectorsBackboneAttendsAsTheWholeModelDoes) {
  const Golden golden("xcit");
  StateDict backbone;
  const Checkpoint whole = readCheckpoint(golden.path("checkpoint.pth"));
  for (const auto& entry : whole.state.entries()) {
    if (entry.name.rfind("blocks.", 0) == 0 || entry.name.rfind("patch_embed.", 0) == 0 ||
        entry.name.rfind("pos_embeder.", 0) == 0) {
      backbone.insert(entry.name, entry.tensor);
    }
  }
  const DefinedModel defined = xcitFamily().define(backbone, {});
  ASSERT_TRUE(matchParameters(*defined.network, backbone).complete());
  loadParameters(*defined.network, backbone, torch::kCPU);
  defined.network->eval();
  const auto inspection = inspect(Model(defined.summary, defined.network), golden.input());
  EXPECT_TRUE(inspection->logits.empty());
  ASSERT_EQ(inspection->layers.size(), 2u);
  EXPECT_TRUE(inspection->layers[1].attention->row(1, 3).isApprox(
      golden.inspection->layers[1].attention->row(1, 3)));
}

TEST(XcitNetwork, TakesAnySize) {
  const Golden golden("xcit");
  for (const auto& [height, width] : {std::pair{1, 1}, {17, 40}, {48, 16}}) {
    const InputTensor input{height, width,
                            std::vector<float>(static_cast<std::size_t>(3 * height * width))};
    const auto inspection = inspect(*golden.model, input);
    const AttentionDescription& last = inspection->layers.back().attention->description();
    EXPECT_EQ(last.keyGrid, (TokenGrid{(height + 15) / 16, (width + 15) / 16}));
  }
}

}  // namespace
}  // namespace softscope
