#include "core/Error.h"
#include "core/attention/StencilMap.h"
#include "core/inspect/LayerMap.h"
#include "tests/core/SyntheticAttention.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

LayerInspection layerWith(bool convolution) {
  LayerInspection layer;
  layer.name = "block1.0.attn";
  const AttentionDescription description = test::gridAttention(2, 4, 5);
  layer.attention = test::syntheticMap(description);
  if (convolution) {
    layer.convolution = std::make_shared<StencilMap>(description, test::randomStack(2, 3, 3, 1));
  }
  return layer;
}

TEST(LayerMap, IsWhatWasAskedFor) {
  const LayerInspection layer = layerWith(true);
  EXPECT_EQ(mapOf(layer, ShownMap::Attention), layer.attention);
  EXPECT_EQ(mapOf(layer, ShownMap::Convolution), layer.convolution);
  const auto effective = mapOf(layer, ShownMap::Effective);
  EXPECT_EQ(effective->row(1, 7),
            Vector(layer.attention->row(1, 7) + layer.convolution->row(1, 7)));
  EXPECT_EQ(availableMap(layer, ShownMap::Effective), ShownMap::Effective);
}

TEST(LayerMap, WithoutAConvolutionThereIsAttentionAlone) {
  const LayerInspection layer = layerWith(false);
  EXPECT_EQ(mapOf(layer, ShownMap::Attention), layer.attention);
  for (const ShownMap map : {ShownMap::Convolution, ShownMap::Effective}) {
    EXPECT_FALSE(hasMap(layer, map));
    EXPECT_EQ(availableMap(layer, map), ShownMap::Attention);
    try {
      mapOf(layer, map);
      FAIL();
    } catch (const InspectionError& error) {
      EXPECT_THAT(error.what(),
                  ::testing::StartsWith("no convolution of V stands beside soft attention"));
    }
  }
}

TEST(LayerMap, IsTheExactKernelThatLandmarksStandFor) {
  LayerInspection layer = layerWith(true);
  EXPECT_FALSE(hasMap(layer, ShownMap::Kernel)) << "though a convolution stands beside it";
  try {
    mapOf(layer, ShownMap::Kernel);
    FAIL();
  } catch (const InspectionError& error) {
    EXPECT_THAT(error.what(),
                ::testing::StartsWith("no landmarks stand for an exact kernel in soft attention"));
  }
  layer.exactKernel = test::syntheticMap(test::gridAttention(2, 4, 5));
  EXPECT_TRUE(hasMap(layer, ShownMap::Kernel));
  EXPECT_EQ(mapOf(layer, ShownMap::Kernel), layer.exactKernel);
  EXPECT_EQ(availableMap(layer, ShownMap::Kernel), ShownMap::Kernel);
}

TEST(LayerMap, AConvolutionOfEachChannelIsNoMatrixOfAHead) {
  LayerInspection layer;
  const auto reasonFor = [&](bool gated) {
    AttentionDescription description = test::gridAttention(2, 4, 5);
    description.mechanism = "mlla";
    description.filtersChannels = true;
    description.gated = gated;
    layer.attention = test::syntheticMap(description);
    EXPECT_FALSE(hasMap(layer, ShownMap::Effective));
    return withoutConvolution(layer);
  };
  EXPECT_THAT(reasonFor(false),
              ::testing::StartsWith("beside mlla attention stands a convolution of V with a filter "
                                    "for each channel, so that no one matrix"));
  EXPECT_THAT(reasonFor(true), ::testing::HasSubstr("and a gate multiplies the sum of both"));
}

TEST(LayerMap, WhatElseStandsBesideTheAttentionIsNamed) {
  LayerInspection layer;
  AttentionDescription description = test::gridAttention(2, 4, 5);
  description.mechanism = "vmamba";
  description.beside = "D V and a norm behind the sum";
  layer.attention = test::syntheticMap(description);
  EXPECT_THAT(withoutConvolution(layer),
              ::testing::StartsWith("beside vmamba attention stands D V and a norm behind the sum, "
                                    "so that there is no effective map"));
}

}  // namespace
}  // namespace softscope
