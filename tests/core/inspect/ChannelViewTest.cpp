#include "core/attention/CirculantMap.h"
#include "core/inspect/ChannelView.h"

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
}  // namespace softscope
