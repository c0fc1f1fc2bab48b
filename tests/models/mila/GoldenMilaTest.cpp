#include "core/Error.h"
#include "core/inspect/LayerMap.h"
#include "core/network/Inspector.h"
#include "tests/models/Golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace softscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Parity with outputs of the authors' code, in float32 from weights in float16. The file holds a
/// pickled configuration and an optimizer beside the weights.
TEST(GoldenMilaTest, Logits) {
  expectLogits(Golden("mlla"));
}

TEST(GoldenMilaTest, EveryRowOfEveryLayer) {
  expectAttention(Golden("mlla"));
}

TEST(GoldenMilaTest, EntriesMayBeNegativeAndRowsDoNotSumToOne) {
  const Golden golden("mlla");
  const AttentionMap& map = *golden.inspection->layers.front().attention;
  const Matrix whole = map.whole(0, std::size_t{1} << 20);
  EXPECT_LT(whole.minCoeff(), 0);
  EXPECT_GT((whole.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-2f);
}

TEST(GoldenMilaTest, NoOneMatrixIsWhatAHeadMakesOfV) {
  const Golden golden("mlla");
  ASSERT_FALSE(golden.inspection->layers.empty());
  for (const LayerInspection& layer : golden.inspection->layers) {
    EXPECT_FALSE(hasMap(layer, ShownMap::Effective));
    EXPECT_THAT(withoutConvolution(layer),
                AllOf(HasSubstr("beside mlla attention stands a convolution of V with a filter for "
                                "each channel"),
                      HasSubstr("a gate")));
  }
}

TEST(MilaNetwork, TakesTheSizeOfItsRotationsAlone) {
  const Golden golden("mlla");
  EXPECT_NO_THROW(inspect(*golden.model, evenInput(61, 64))) << "convolutions round up";
  for (const auto& [height, width] : {std::pair(64, 96), {96, 64}, {60, 64}, {65, 64}, {0, 64}}) {
    try {
      inspect(*golden.model, evenInput(height, width));
      ADD_FAILURE() << height << " x " << width;
    } catch (const InspectionError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(std::to_string(height) + " x "),
                                      HasSubstr("for pictures of 64 x 64 alone")));
    }
  }
}

}  // namespace
}  // namespace softscope
