#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

/// Parity with outputs of the authors' code and of timm's, in float32 from weights in float16, on
/// pictures that are not square.
class GoldenEfficientVitTest : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenEfficientVitTest, Logits) {
  expectLogits(Golden(GetParam()));
}

TEST_P(GoldenEfficientVitTest, EveryRowOfEveryLayer) {
  expectAttention(Golden(GetParam()));
}

TEST_P(GoldenEfficientVitTest, NothingStandsBesideTheAttention) {
  const Golden golden(GetParam());
  ASSERT_FALSE(golden.inspection->layers.empty());
  for (const LayerInspection& layer : golden.inspection->layers) {
    EXPECT_EQ(layer.attention->description().mechanism, "litemla");
    EXPECT_FALSE(layer.attention->description().filtersChannels);
    EXPECT_FALSE(hasMap(layer, ShownMap::Effective));
  }
}

TEST_P(GoldenEfficientVitTest, RowsSumToOneOrVanish) {
  const Golden golden(GetParam());
  int vanished = 0;
  for (const LayerInspection& layer : golden.inspection->layers) {
    const AttentionDescription& description = layer.attention->description();
    for (int head = 0; head < description.heads; ++head) {
      for (int query = 0; query < description.queries; ++query) {
        const double sum = layer.attention->row(head, query).sum();
        if (sum == 0) {
          ++vanished;
        } else if (std::string(GetParam()).find("timm") == std::string::npos) {
          EXPECT_NEAR(sum, 1, 1e-5) << layer.name;
        }
      }
    }
  }
  int expected = 0;
  if (golden.meta.contains("zero_rows")) {
    for (const auto& rows : golden.meta.at("zero_rows")) expected += rows.get<int>();
    EXPECT_EQ(vanished, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenEfficientVitTest,
                         ::testing::Values("efficientvit_b", "efficientvit_b_timm",
                                           "efficientvit_l"));

TEST(EfficientVitNetwork, TakesAnySize) {
  const Golden golden("efficientvit_b");
  EXPECT_NO_THROW(inspect(*golden.model, evenInput(1, 1)));
  // Four convolutions of stride 2 lead to the first attention, each rounding up.
  const auto inspection = inspect(*golden.model, evenInput(37, 70));
  EXPECT_EQ(inspection->layers.front().attention->description().queryGrid, (TokenGrid{3, 5}));
  EXPECT_EQ(inspection->layers.back().attention->description().queryGrid, (TokenGrid{2, 3}));
  EXPECT_THROW(inspect(*golden.model, evenInput(0, 70)), InspectionError);
}

}  // namespace
}  // namespace softscope
