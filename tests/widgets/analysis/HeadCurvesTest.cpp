#include "core/attention/DenseMap.h"
#include "widgets/analysis/HeadCurves.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace softscope {
namespace {

AnalysedLayer layerOf(const std::string& model, const std::string& name, int heads) {
  AttentionDescription description;
  description.mechanism = "softmax";
  LayerInspection layer;
  layer.name = name;
  layer.attention = std::make_shared<DenseMap>(
      description,
      MatrixStack(std::vector<Matrix>(static_cast<std::size_t>(heads), Matrix::Ones(2, 2))));
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {layer};
  return {model, {}, inspection, 0, {}};
}

PlotCurve curveOf(const HeadCurves& looks, std::size_t layer, int head,
                  const std::vector<double>& values) {
  PlotCurve curve = looks.curve(layer, head);
  for (std::size_t i = 0; i < values.size(); ++i) curve.x.push_back(static_cast<double>(i + 1));
  curve.y = values;
  return curve;
}

TEST(HeadCurves, AreMediansOfSeveralLayersWithManyHeads) {
  const AnalysedLayer six = layerOf("soft", "block1.0.attn", 6);
  const AnalysedLayer seven = layerOf("soft", "block2.0.attn", 7);
  const AnalysedLayer many = layerOf("soft", "block3.0.attn", 16);
  EXPECT_FALSE(HeadCurves({six, six}, PlottedHeads::Automatic).showsMedians());
  EXPECT_TRUE(HeadCurves({six, seven}, PlottedHeads::Automatic).showsMedians());
  EXPECT_FALSE(HeadCurves({many}, PlottedHeads::Automatic).showsMedians()) << "of one layer";
  EXPECT_FALSE(HeadCurves({six, seven}, PlottedHeads::Each).showsMedians());
  EXPECT_TRUE(HeadCurves({six}, PlottedHeads::Medians).showsMedians());
}

TEST(HeadCurves, DrawMediansInBandsOfAllHeadsThatReachThere) {
  const HeadCurves looks({layerOf("soft", "block1.0.attn", 3), layerOf("soft", "block2.0.attn", 1)},
                         PlottedHeads::Medians);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Plot plot;
  plot.y.logarithmic = true;
  plot.curves = {curveOf(looks, 0, 0, {1, 2, 0, 7}), curveOf(looks, 0, 1, {4, none, 5}),
                 curveOf(looks, 0, 2, {3, 6, 3}), curveOf(looks, 1, 0, {9, 8})};
  PlotCurve mark = curveOf(looks, 0, 0, {1});
  mark.line = PlotCurve::Line::None;
  plot.curves.push_back(mark);
  looks.drawMedians(plot);
  ASSERT_EQ(plot.curves.size(), 2u) << "without the mark of a head";
  const PlotCurve& first = plot.curves[0];
  EXPECT_EQ(first.x, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(first.y, (std::vector<double>{3, 4, 3, 7}));
  EXPECT_EQ(first.name, "block1.0, median of 3 heads");
  EXPECT_EQ(first.group, "block1.0");
  EXPECT_EQ(first.places.front().head, std::nullopt) << "a click leads to the layer";
  EXPECT_EQ(plot.curves[1].name, "block2.0, head 0");
  EXPECT_EQ(plot.curves[1].places.front().head, 0);
  ASSERT_EQ(plot.bands.size(), 1u) << "a single head has none";
  EXPECT_EQ(plot.bands[0].x, (std::vector<double>{1, 2, 4})) << "no zero on a logarithmic axis";
  EXPECT_EQ(plot.bands[0].low, (std::vector<double>{1, 2, 7}));
  EXPECT_EQ(plot.bands[0].high, (std::vector<double>{4, 6, 7}));
  EXPECT_EQ(plot.bands[0].color, first.color);
}

TEST(HeadCurves, AreLabelledByWhatTheirLegendEntriesAreShortenedTo) {
  const AnalysedLayer three = layerOf("soft", "block1.0.attn", 3);
  const AnalysedLayer one = layerOf("sima", "block2.0.attn", 1);
  EXPECT_EQ(HeadCurves({three}).curve(0, 2).label, "head 2");
  EXPECT_EQ(HeadCurves({three}).curve(0, 2).kin.name, "") << "nothing remains of the legend";
  const HeadCurves looks({three, one});
  EXPECT_EQ(looks.curve(0, 2).label, "block1.0 · 2");
  EXPECT_EQ(looks.curve(1, 0).label, "block2.0");
  EXPECT_EQ(looks.curve(0, 2).kin, (PlotKin{"soft", curveColors(2)[0]}));
  EXPECT_EQ(looks.curve(1, 0).kin, (PlotKin{"sima", curveColors(2)[1]}));
  Plot plot;
  const HeadCurves medians({three, one}, PlottedHeads::Medians);
  plot.curves = {curveOf(medians, 0, 0, {1, 2}), curveOf(medians, 0, 1, {3, 4})};
  medians.drawMedians(plot);
  EXPECT_EQ(plot.curves[0].label, "block1.0");
}

TEST(HeadCurves, KeepApartWhatTheSameHeadsShowInAnotherLine) {
  const HeadCurves looks({layerOf("soft", "block1.0.attn", 2)}, PlottedHeads::Medians);
  Plot plot;
  for (const int head : {0, 1}) {
    plot.curves.push_back(curveOf(looks, 0, head, {1.0 + head}));
    PlotCurve raw = curveOf(looks, 0, head, {10.0 + head});
    raw.line = PlotCurve::Line::Dashed;
    raw.group.clear();
    raw.name += ", against the raw A";
    plot.curves.push_back(raw);
  }
  looks.drawMedians(plot);
  ASSERT_EQ(plot.curves.size(), 2u);
  EXPECT_EQ(plot.curves[0].y, std::vector<double>{1.5});
  EXPECT_EQ(plot.curves[0].group, "block1.0") << "not its first head";
  EXPECT_EQ(plot.curves[1].y, std::vector<double>{10.5});
  EXPECT_EQ(plot.curves[1].name, "block1.0, median of 2 heads, against the raw A");
  EXPECT_EQ(plot.curves[1].group, "");
}

TEST(HeadCurves, LayersOfAModelHaveItsHue) {
  std::vector<AnalysedLayer> layers;
  for (const char* model : {"soft", "sima"}) {
    for (int i = 0; i < 4; ++i) {
      layers.push_back(layerOf(model, "block" + std::to_string(i) + ".attn", 1));
    }
  }
  const HeadCurves looks(layers);
  std::set<QRgb> colors;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const QColor color = looks.curve(i, 0).color;
    colors.insert(color.rgb());
    EXPECT_NEAR(color.hslHueF(), curveColors(2)[i / 4].hslHueF(), 0.02);
    if (i % 4 == 0) continue;
    EXPECT_GT(color.lightnessF(), looks.curve(i - 1, 0).color.lightnessF());
  }
  EXPECT_EQ(colors.size(), layers.size());
  const HeadCurves single({layers[0], layers[4]});
  EXPECT_EQ(single.curve(1, 0).color, curveColors(2)[1]) << "as everywhere";
}

TEST(HeadCurves, MediansSayOfHowManyHeadsTheyAre) {
  const HeadCurves looks({layerOf("soft", "block1.0.attn", 3)}, PlottedHeads::Medians);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Plot plot;
  plot.curves = {curveOf(looks, 0, 0, {none, none}), curveOf(looks, 0, 1, {1, 2}),
                 curveOf(looks, 0, 2, {3, none})};
  looks.drawMedians(plot);
  EXPECT_EQ(plot.curves[0].name, "block1.0, median of 2 of 3 heads");
  EXPECT_EQ(plot.curves[0].y, (std::vector<double>{2, 2}));
}

TEST(HeadCurves, LayersThatAreLeftOutAreNamedWithTheirReasons) {
  std::vector<AnalysedLayer> layers;
  std::vector<std::string> obstacles;
  for (int i = 0; i < 7; ++i) {
    layers.push_back(layerOf("soft", "block" + std::to_string(i) + ".0.attn", 1));
    obstacles.emplace_back();
  }
  EXPECT_EQ(leftOutText(layers, obstacles), QString());
  obstacles[1] = "25 x 25 entries";
  obstacles[2] = "there is one query";
  obstacles[3] = "there is one query";
  EXPECT_EQ(leftOutText(layers, obstacles),
            QStringLiteral("left out: block1.0 (25 × 25 entries); block2.0, block3.0 (there is one "
                           "query)"));
  for (std::size_t i = 1; i < 7; ++i) obstacles[i] = "there is one query";
  EXPECT_TRUE(leftOutText(layers, obstacles).contains(QStringLiteral("block4.0 and 2 more")));
  obstacles[0] = "there is one query";
  EXPECT_EQ(leftOutText(layers, obstacles), QString()) << "the page says why nothing is there";
}

}  // namespace
}  // namespace softscope
