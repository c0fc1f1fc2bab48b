#include "core/Error.h"
#include "core/attention/CirculantMap.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/SweepPlan.h"
#include "widgets/workspace/Workspace.h"

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(SweepPlan, NeedsALayerThatIsShown) {
  Workspace workspace{test::syntheticEngine()};
  const auto settle = [&workspace] { test::settle(workspace); };
  EXPECT_THROW(sweepPlan(workspace, {}, {}), InspectionError);
  ModelRequest request;
  request.path = "soft.pth";
  workspace.queue().open(request);
  settle();
  EXPECT_THROW(sweepPlan(workspace, {}, {}), InspectionError) << "it has not seen a picture";
  workspace.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  EXPECT_EQ(sweepPlan(workspace, {}, {}).layers.size(), 3u);
}

/// Layers whose channels have kernels of their own.
std::shared_ptr<const Inspection> inspectSweptChannels(const Model&, const InputTensor&,
                                                       const Progress&, const InspectionOptions&) {
  auto inspection = std::make_shared<Inspection>(*test::syntheticInspection());
  AttentionDescription description{.mechanism = "circulant", .heads = 1, .queries = 4, .keys = 4};
  description.queryGrid = description.keyGrid = TokenGrid{2, 2};
  for (LayerInspection& layer : inspection->layers) {
    std::vector<Matrix> kernels(3, Matrix::Constant(2, 2, 0.25f));
    kernels[2](0, 1) = 0.5f;
    layer.attention = std::make_shared<CirculantMap>(description, MatrixStack(std::move(kernels)));
    layer.convolution.reset();
  }
  return inspection;
}

std::vector<Vector> sweptValues(const PanelFigure& figure) {
  std::vector<Vector> values;
  for (const FigureBlock& block : figure.blocks) {
    for (const FigureCell& cell : block.cells) values.push_back(cell.panel.values.patches);
  }
  return values;
}

TEST(SweepPlan, CheckpointsAnswerInTheChannelThatIsShown) {
  Workspace workspace{test::syntheticEngine(test::openSynthetic, inspectSweptChannels)};
  ModelRequest request;
  request.path = "soft.pth";
  workspace.queue().open(request);
  workspace.picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  test::settle(workspace);
  SweepSettings settings;
  settings.over = SweepOver::Checkpoints;
  const std::vector<std::string> steps{"epoch_1.pth", "epoch_2.pth"};
  const auto mean = sweptValues(previewedFrames(sweepPlan(workspace, settings, steps)).front());
  workspace.view().setChannel({2});
  const SweepPlan plan = sweepPlan(workspace, settings, steps);
  const auto shown = sweptValues(previewedFrames(plan).front());
  ASSERT_NE(shown, mean);
  const SweepFrames frames = makeSweep(plan, Progress()).frames;
  ASSERT_EQ(frames.size(), 2u);
  for (const PanelFigure& frame : frames) EXPECT_EQ(sweptValues(frame), shown);
}

}  // namespace
}  // namespace softscope
