#include "core/attention/FactoredMap.h"
#include "tests/core/attention/RandomMatrix.h"
#include "widgets/analysis/LandmarkFigure.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace softscope {
namespace {

LandmarkError measuredError(int count, int head, const std::string& landmarks, double error,
                            std::optional<double> bound = {}) {
  const MatrixStack left = test::randomStack(2, 8, count, 1);
  const MatrixStack middle = test::randomStack(2, count, count, 2);
  LayerInspection layer;
  layer.name = "block1.0.attn";
  layer.attention = std::make_shared<FactoredMap>(
      AttentionDescription{.mechanism = "soft", .landmarks = count}, left, middle, left);
  auto inspection = std::make_shared<Inspection>();
  inspection->layers = {layer};
  LandmarkError measured{{}, landmarks, bound};
  measured.approximation.of = {"soft", {}, inspection, 0, {}};
  measured.approximation.head = head;
  measured.approximation.errors = {{.relativeFrobenius = error}};
  return measured;
}

const PlotCurve* curveNamed(const Plot& plot, const QString& name) {
  for (const PlotCurve& curve : plot.curves) {
    if (curve.name == name) return &curve;
  }
  return nullptr;
}

TEST(LandmarkPlots, ArePointsAtMediansOverHeads) {
  LandmarkError left = measuredError(4, 0, "pooled", 7);
  left.approximation.obstacle = "approximates nothing";
  const std::vector<Plot> plots = landmarkPlots(
      {measuredError(4, 0, "pooled", 0.1, 0.01), measuredError(4, 1, "pooled", 0.3, 0.03), left,
       measuredError(2, 0, "pooled", 0.5), measuredError(4, 0, "trained", 1)});
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].note, "median over 2 heads");
  const PlotCurve* pooled = curveNamed(plots[0], "pooled");
  ASSERT_NE(pooled, nullptr);
  EXPECT_EQ(pooled->x, (std::vector<double>{2, 4}));
  EXPECT_EQ(pooled->y, (std::vector<double>{0.5, 0.2}));
  const PlotCurve* bound = curveNamed(plots[0], "pooled, best of rank m");
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->y, (std::vector<double>{0.02}));
  EXPECT_EQ(bound->line, PlotCurve::Line::Dashed);
  EXPECT_NE(curveNamed(plots[0], "trained"), nullptr);
  EXPECT_EQ(curveNamed(plots[0], "random"), nullptr);
}

}  // namespace
}  // namespace softscope
