#include "core/Error.h"
#include "core/attention/CirculantMap.h"
#include "core/attention/StencilMap.h"
#include "core/inspect/LayerMap.h"
#include "tests/core/SyntheticAttention.h"
#include "tests/core/attention/RandomMatrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {
namespace {

/// A layer with a kernel of its own for each channel: all of channel c are c + 1.
LayerInspection layerOf(const std::string& name, int channels) {
  AttentionDescription description{.mechanism = "circulant", .heads = 1, .queries = 4, .keys = 4};
  description.queryGrid = description.keyGrid = TokenGrid{2, 2};
  std::vector<Matrix> kernels;
  for (int c = 0; c < channels; ++c) kernels.push_back(Matrix::Constant(2, 2, float(c) + 1));
  LayerInspection layer;
  layer.name = name;
  layer.attention =
      std::make_shared<CirculantMap>(std::move(description), MatrixStack(std::move(kernels)));
  return layer;
}

std::shared_ptr<const Inspection> inspectionOf(std::vector<LayerInspection> layers) {
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = std::move(layers);
  return inspection;
}

TEST(ChannelView, ShowsTheMatrixOfOneChannel) {
  const auto whole = inspectionOf({layerOf("a", 3)});
  EXPECT_FLOAT_EQ(whole->layers[0].attention->row(0, 0)[1], 2);
  const auto one = atChannel(whole, 2);
  EXPECT_FLOAT_EQ(one->layers[0].attention->row(0, 0)[1], 3);
  const AttentionDescription& shown = one->layers[0].attention->description();
  EXPECT_EQ(shown.channel, (ChosenChannel{2, 3}));
  EXPECT_EQ(shown.meanOfChannels, 0);
  EXPECT_EQ(channelNote(*one), "channel 2");
  EXPECT_EQ(channelNote(*whole), "");
}

TEST(ChannelView, KnowsTheNumberOfChannelsWhicheverIsShown) {
  const auto whole = inspectionOf({layerOf("a", 3)});
  EXPECT_EQ(channelsOf(whole->layers[0]), 3);
  EXPECT_EQ(channelsOf(atChannel(whole, 1)->layers[0]), 3);
}

TEST(ChannelView, LayersWithFewerKeepTheirMeanAndTheNoteSaysSo) {
  const auto both = atChannel(inspectionOf({layerOf("a", 2), layerOf("b", 5)}), 3);
  EXPECT_EQ(both->layers[0].attention->description().meanOfChannels, 2);
  EXPECT_EQ(both->layers[1].attention->description().channel, (ChosenChannel{3, 5}));
  EXPECT_EQ(channelNote(*both), "channel 3, the mean in layers with fewer");
}

TEST(ChannelView, IsTheInspectionItselfWhereNoLayerHasTheChannel) {
  const auto whole = inspectionOf({layerOf("a", 3)});
  EXPECT_EQ(atChannel(whole, std::nullopt), whole);
  EXPECT_EQ(atChannel(whole, 3), whole);
  EXPECT_EQ(atChannel(nullptr, 3), nullptr);
}

}  // namespace

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

TEST(LayerMap, AMapThatIsMissingIsTheOneThatWasAskedFor) {
  LayerInspection layer;
  AttentionDescription description = test::gridAttention(2, 4, 5);
  description.mechanism = "softmax";
  layer.attention = test::syntheticMap(description);
  EXPECT_THAT(withoutMap(layer, ShownMap::Effective), ::testing::HasSubstr("no effective map"));
  EXPECT_EQ(withoutMap(layer, ShownMap::Convolution),
            "no convolution of V stands beside softmax attention, so that there is no matrix of a "
            "convolution; choose a layer of SOFT or SOFT++");
  for (const bool filters : {true, false}) {
    description.filtersChannels = filters;
    description.beside = filters ? "" : "D V and a gate";
    layer.attention = test::syntheticMap(description);
    EXPECT_THAT(withoutMap(layer, ShownMap::Convolution),
                ::testing::HasSubstr("there is no matrix of a convolution;"));
  }
}

}  // namespace
}  // namespace softscope
