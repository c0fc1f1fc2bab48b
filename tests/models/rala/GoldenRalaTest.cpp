#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::HasSubstr;

/// Parity with outputs of the authors' code, in float32 from weights in float16, on a picture that
/// is not square. The file holds pickled arguments beside the weights.
TEST(GoldenRalaTest, Logits) {
  expectLogits(Golden("rala"));
}

TEST(GoldenRalaTest, EveryRowOfEveryLayer) {
  expectAttention(Golden("rala"));
}

TEST(GoldenRalaTest, TheLastTwoStagesHaveTheSoftmax) {
  const Golden golden("rala");
  const nlohmann::json& layers = golden.meta.at("layers");
  ASSERT_EQ(golden.inspection->layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string mechanism = layers[i].at("mechanism").get<std::string>();
    EXPECT_EQ(golden.inspection->layers[i].attention->description().mechanism, mechanism);
    EXPECT_EQ(golden.model->summary().layers[i].mechanism, mechanism);
  }
}

TEST(GoldenRalaTest, NoOneMatrixIsWhatAHeadMakesOfV) {
  const Golden golden("rala");
  ASSERT_FALSE(golden.inspection->layers.empty());
  for (const LayerInspection& layer : golden.inspection->layers) {
    EXPECT_FALSE(hasMap(layer, ShownMap::Effective));
    EXPECT_THAT(withoutConvolution(layer),
                HasSubstr("a convolution of V with a filter for each channel, and a gate"));
  }
}

TEST(RalaNetwork, TakesAnySize) {
  const Golden golden("rala");
  EXPECT_NO_THROW(inspect(*golden.model, evenInput(1, 1)));
  const auto inspection = inspect(*golden.model, evenInput(37, 70));
  EXPECT_EQ(inspection->layers.front().attention->description().queryGrid, (TokenGrid{10, 18}));
  EXPECT_EQ(inspection->layers.back().attention->description().queryGrid, (TokenGrid{2, 3}));
  EXPECT_THROW(inspect(*golden.model, evenInput(37, 0)), InspectionError);
}

}  // namespace
}  // namespace softscope
