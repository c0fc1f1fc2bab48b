#include "core/image/ColorMap.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/analysis/PatchFigures.h"
#include "widgets/paint/ColorBarPainter.h"

#include <QtGui/QImage>
#include <QtGui/QPainter>

#include <gtest/gtest.h>

#include <limits>

namespace softscope {
namespace {

/// A rollout of the patch (2, 3) of 8 x 8, on 16 x 16 patches of the first layer: 0.01 of each but
/// for 0.2 of the four that this patch covers, and 0.02 of one in the corner.
LayerRollout rolloutOfOnePatch() {
  LayerRollout of{
      AnalysedLayer{"soft", {}, test::syntheticInspection(), 0, {0, 0, 64, 64}}, {}, {}, {}, {}};
  of.token = 2 * 8 + 3;
  of.rollout.grid = {16, 16};
  of.rollout.patches = Vector::Constant(256, 0.01f);
  of.rollout.patches[0] = 0.02f;
  for (const int patch : {4 * 16 + 6, 4 * 16 + 7, 5 * 16 + 6, 5 * 16 + 7}) {
    of.rollout.patches[patch] = 0.2f;
  }
  return of;
}

TEST(RolloutFigure, ColoursEndAtTheLargestOfTheOtherPatchesAndSaySo) {
  const LayerRollout of = rolloutOfOnePatch();
  const HeadPanel panel = rolloutPanels({of}, {}).front();
  EXPECT_FLOAT_EQ(panel.range.low, 0.01f);
  EXPECT_FLOAT_EQ(panel.range.high, 0.02f);
  EXPECT_TRUE(panel.range.exceeded);
  EXPECT_FALSE(panel.range.clipped) << "nothing lies below the lower end";
  EXPECT_EQ(panel.values.patches.size(), 256) << "all are drawn";
  EXPECT_TRUE(panel.note.contains(QStringLiteral("itself 0.8"))) << panel.note.toStdString();
  EXPECT_TRUE(rolloutText({of}, {}).contains(QStringLiteral("largest of the other patches")));
}

TEST(RolloutFigure, ColoursAreThoseOfAllWhereTheOwnPatchIsNotAboveTheOthers) {
  LayerRollout of = rolloutOfOnePatch();
  of.rollout.patches[0] = 0.3f;
  const HeadPanel panel = rolloutPanels({of}, {}).front();
  EXPECT_FLOAT_EQ(panel.range.high, 0.3f);
  EXPECT_FALSE(panel.range.exceeded);
  EXPECT_TRUE(panel.note.contains(QStringLiteral("itself 0.8"))) << "of all it covers";
  EXPECT_FALSE(rolloutText({of}, {}).contains(QStringLiteral("other patches")));
}

TEST(RolloutFigure, GradientsLeaveTheOwnPatchOutThemselves) {
  LayerRollout of = rolloutOfOnePatch();
  of.rollout.speaksFor = "cat";
  const HeadPanel panel = rolloutPanels({of}, {}).front();
  EXPECT_FLOAT_EQ(panel.range.high, 0.2f);
  EXPECT_FALSE(panel.note.contains(QStringLiteral("itself")));
}

TEST(RolloutFigure, TheBarOfAnExceededRangeIsMarkedAtThatEndAlone) {
  ValueRange range{0, 1};
  const auto drawn = [](const ValueRange& of) {
    QImage image(120, 30, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    FigureStyle style;
    style.barHeight = 5;
    paintColorBar(painter, QRectF(0, 0, 120, 30), of, colorMap("inferno"), style);
    return image;
  };
  const QImage before = drawn(range);
  range.exceeded = true;
  const QImage after = drawn(range);
  EXPECT_EQ(before.copy(0, 0, 60, 30), after.copy(0, 0, 60, 30));
  EXPECT_NE(before.copy(60, 0, 60, 30), after.copy(60, 0, 60, 30));
}

TEST(RolloutFigure, ACaptionIsThatOfTheDeepestLayerAndOfAllPanels) {
  LayerRollout first = rolloutOfOnePatch();
  first.rollout.patches[0] = 0.3f;
  first.rollout.layers = {{.name = "a", .attentionWeight = 0.25, .byNorms = true}};
  LayerRollout middle = rolloutOfOnePatch();
  middle.rollout.layers = first.rollout.layers;
  LayerRollout last = first;
  last.rollout.layers.push_back({.name = "b", .attentionWeight = 0.75, .byNorms = true});
  const PanelFigure figure = rolloutFigure({first, middle, last}, {}, {}, nullptr, {});
  ASSERT_EQ(figure.blocks.size(), 1u);
  const QString about = figure.blocks[0].caption->about;
  EXPECT_TRUE(about.contains(QString::fromStdString(rolloutDeviation(last.rollout))))
      << about.toStdString();
  EXPECT_TRUE(about.contains(QStringLiteral("other patches"))) << "of the panel in the middle";
}

TEST(RolloutFigure, SaysHowManyValuesAreNotFinite) {
  LayerRollout of = rolloutOfOnePatch();
  of.rollout.patches[7] = std::numeric_limits<float>::quiet_NaN();
  const QString said = QStringLiteral("1 of 256 values not finite");
  EXPECT_TRUE(rolloutPanels({of}, {}).front().note.startsWith(said));
  EXPECT_EQ(rolloutText({of, of}, {}).count(said), 1);
}

}  // namespace
}  // namespace softscope
