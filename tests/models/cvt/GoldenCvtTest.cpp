#include "core/Error.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <vector>

namespace softscope {
namespace {

/// Parity with outputs of the authors' code, in float32 from weights in float16, on a picture that
/// is not square.
TEST(GoldenCvtTest, Logits) {
  expectLogits(Golden("cvt"));
}

TEST(GoldenCvtTest, EveryStoredRowOfEveryLayer) {
  expectAttention(Golden("cvt"));
}

TEST(GoldenCvtTest, KeysLieOnAGridHalfAsFine) {
  const Golden golden("cvt");
  const std::vector<TokenGrid> grids{{8, 12}, {4, 6}, {2, 3}};
  ASSERT_EQ(golden.inspection->layers.size(), grids.size());
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const AttentionDescription& description = golden.inspection->layers[i].attention->description();
    EXPECT_EQ(description.keyGrid, grids[i]);
    EXPECT_EQ(description.prefixTokens, i == 2 ? 1 : 0);
    EXPECT_EQ(description.keys, grids[i].count() + description.prefixTokens);
  }
}

TEST(CvtWithSima, IsTheAuthorsAttentionInTheAuthorsNetwork) {
  const Golden golden("cvt", {.attention = "sima"});
  // Logits of the authors' CvT with the authors' SimA in place of its softmax, on the same weights
  // and picture.
  const std::vector<float> expected{-0.430915f, -0.116164f, 2.290805f,  -1.338904f, -2.892843f,
                                    -0.403954f, 3.413296f,  -1.605487f, -0.045209f, 0.139729f};
  ASSERT_EQ(golden.inspection->logits.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(golden.inspection->logits[i], expected[i], 3e-4) << i;
  }
}

TEST(CvtWithSima, NormalisesQueriesAndCoarserKeysOverTheirOwnTokens) {
  const Golden golden("cvt", {.attention = "sima"});
  const LayerInspection& layer = golden.inspection->layers.front();
  const AttentionDescription& description = layer.attention->description();
  EXPECT_EQ(description.mechanism, "sima");
  EXPECT_EQ(description.queryGrid, (TokenGrid{16, 24}));
  EXPECT_EQ(description.keyGrid, (TokenGrid{8, 12}));
  const double width = 64;
  EXPECT_NEAR(layer.queryL1.row(0).sum(), width, 1e-3);
  EXPECT_NEAR(layer.keyL1.row(0).sum(), width, 1e-3);
  // In the last stage, the class token's entries are part of the norms.
  const LayerInspection& last = golden.inspection->layers.back();
  EXPECT_EQ(last.attention->description().prefixTokens, 1);
  EXPECT_EQ(last.queryL1.cols(), 25);
  EXPECT_EQ(last.keyL1.cols(), 7);
  for (int head = 0; head < 2; ++head) {
    EXPECT_NEAR(last.queryL1.row(head).sum(), width, 1e-3);
    EXPECT_NEAR(last.keyL1.row(head).sum(), width, 1e-3);
  }
}

TEST(CvtNetwork, TakesAnySizeThatItsFirstConvolutionFits) {
  const Golden golden("cvt");
  const auto input = [](int height, int width) {
    return InputTensor{height, width,
                       std::vector<float>(static_cast<std::size_t>(3 * height * width))};
  };
  EXPECT_THROW(inspect(*golden.model, input(2, 64)), InspectionError);
  EXPECT_THROW(inspect(*golden.model, input(64, 2)), InspectionError);
  EXPECT_NO_THROW(inspect(*golden.model, input(3, 3)));
  // Odd grids: 9 x 17 tokens, 5 x 9 keys.
  const auto inspection = inspect(*golden.model, input(37, 70));
  const AttentionDescription& description = inspection->layers.front().attention->description();
  EXPECT_EQ(description.queryGrid, (TokenGrid{9, 17}));
  EXPECT_EQ(description.keyGrid, (TokenGrid{5, 9}));
  EXPECT_EQ(description.keys, 45);
}

}  // namespace
}  // namespace softscope
