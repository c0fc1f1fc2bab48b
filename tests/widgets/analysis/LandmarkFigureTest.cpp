#include "core/attention/FactoredMap.h"
#include "tests/core/attention/RandomMatrix.h"
#include "widgets/analysis/BottleneckFigures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace softscope {
namespace {

LandmarkError measuredError(int count, int head, LandmarkSource landmarks, double error,
                            double exactError) {
  const MatrixStack left = test::randomStack(2, 8, count, 1);
  const MatrixStack middle = test::randomStack(2, count, count, 2);
  LayerInspection layer;
  layer.name = "block1.0.attn";
  layer.attention = std::make_shared<FactoredMap>(
      AttentionDescription{.mechanism = "soft", .landmarks = count}, left, middle, left);
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {layer};
  // Of singular values 1 and 1 the best matrix of rank 1 leaves a half.
  LandmarkError measured{{}, {0, {1, 1}}};
  measured.approximation.landmarks = {.source = landmarks};
  measured.approximation.forms = {{layer.attention, NystromForm::Middle::Released},
                                  {layer.attention, NystromForm::Middle::Exact}};
  measured.approximation.of = {"soft", {}, inspection, 0, {}};
  measured.approximation.head = head;
  measured.approximation.errors = {{.relativeFrobenius = error}, {.relativeFrobenius = exactError}};
  return measured;
}

const PlotCurve* curveNamed(const Plot& plot, const QString& name) {
  for (const PlotCurve& curve : plot.curves) {
    if (curve.name == name) return &curve;
  }
  return nullptr;
}

TEST(LandmarkPlots, ArePointsAtMediansOverHeads) {
  LandmarkError left = measuredError(4, 0, LandmarkSource::Pooled, 7, 7);
  left.approximation.obstacle = "approximates nothing";
  const std::vector<Plot> plots =
      landmarkPlots({measuredError(4, 0, LandmarkSource::Pooled, 0.1, 0.01),
                     measuredError(4, 1, LandmarkSource::Pooled, 0.3, 0.03), left,
                     measuredError(1, 0, LandmarkSource::Pooled, 0.8, 0.75),
                     measuredError(4, 0, LandmarkSource::Trained, 1, 0.9)});
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].note, "median over 2 heads");
  const PlotCurve* pooled = curveNamed(plots[0], "pooled");
  ASSERT_NE(pooled, nullptr);
  EXPECT_EQ(pooled->x, (std::vector<double>{1, 4}));
  EXPECT_EQ(pooled->y, (std::vector<double>{0.8, 0.2}));
  const PlotCurve* exact = curveNamed(plots[0], "pooled, exact inverse");
  ASSERT_NE(exact, nullptr);
  EXPECT_EQ(exact->y, (std::vector<double>{0.75, 0.02}));
  EXPECT_EQ(exact->line, PlotCurve::Line::Dotted);
  const PlotCurve* bound = curveNamed(plots[0], "pooled, best of rank m");
  ASSERT_NE(bound, nullptr);
  EXPECT_NEAR(bound->y.front(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(bound->line, PlotCurve::Line::Dashed);
  EXPECT_NE(curveNamed(plots[0], "trained"), nullptr);
  EXPECT_EQ(curveNamed(plots[0], "random"), nullptr);
}

TEST(LandmarkPlots, SayWhoseKernelsTheyAreOf) {
  const std::vector<LandmarkError> errors = {
      measuredError(4, 0, LandmarkSource::Pooled, 0.1, 0.01)};
  EXPECT_TRUE(landmarkFigure(errors, false)
                  .blocks.front()
                  .caption->about.contains("of the network as it was trained"));
  EXPECT_TRUE(
      landmarkFigure(errors, true).blocks.front().caption->about.contains("not what was trained"));
}

}  // namespace
}  // namespace softscope
