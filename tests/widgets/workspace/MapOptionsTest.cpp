#include "tests/widgets/workspace/OpenedSynthetic.h"
#include "widgets/workspace/MapOptions.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(MapOptions, IsWhatWasChosenWhereALayerHasIt) {
  const OpenedModel model = test::inspectedSynthetic(1);
  const LayerInspection& with = model.inspection->layers[0];
  const LayerInspection& without = model.inspection->layers[1];
  for (const ShownMap map : {ShownMap::Attention, ShownMap::Convolution, ShownMap::Effective}) {
    EXPECT_EQ(mapOptions(map, {&with}).shown, map);
    EXPECT_TRUE(mapOptions(map, {&with}).obstacle.isEmpty());
    EXPECT_EQ(mapOptions(map, {&without, &with}).shown, map) << "one is enough";
    EXPECT_TRUE(mapOptions(map, {&without, &with}).obstacle.isEmpty());
    const MapOptions none = mapOptions(map, {&without});
    EXPECT_EQ(none.shown, ShownMap::Attention);
    EXPECT_TRUE(none.obstacle.startsWith(
        QStringLiteral("no convolution of V stands beside soft attention")));
  }
}

TEST(MapOptions, HasTheExactKernelWhereLandmarksStandForOne) {
  const OpenedModel model = test::inspectedSynthetic(1);
  LayerInspection approximating = model.inspection->layers[1];
  approximating.exactKernel = approximating.attention;
  for (const ShownMap map : {ShownMap::Attention, ShownMap::Kernel}) {
    const MapOptions offered = mapOptions(map, {&approximating});
    EXPECT_EQ(offered.shown, map);
    std::vector<ShownMap> missing;
    for (const MissingMap& lacks : offered.missing) missing.push_back(lacks.map);
    EXPECT_EQ(missing,
              (std::vector{ShownMap::Convolution, ShownMap::Effective, ShownMap::GradientProduct}));
    EXPECT_TRUE(offered.obstacle.isEmpty());
  }
  EXPECT_EQ(mapOptions(ShownMap::Effective, {&approximating}).shown, ShownMap::Attention)
      << "nothing stands beside it";
  EXPECT_EQ(mapOptions(ShownMap::Kernel, {&model.inspection->layers[0]}).shown,
            ShownMap::Attention);
}

}  // namespace
}  // namespace softscope
