#include "app/figures/drawing/HeadlessApplication.h"
#include "core/array/Npz.h"
#include "core/network/Device.h"
#include "models/NetworkEngine.h"
#include "tests/app/commands/Run.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/pages/MatrixPage.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string chelsea = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
const std::string nonLocalCheckpoint =
    std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/soft_norm_everyday10.safetensors";
const std::string goldenSoft = "-m " + data("golden/soft/checkpoint.pth") + " ";
const std::string matrixTensor = data("golden/soft/input.npy");

TEST(MatrixFigure, DataAreTheAveragesOfTheOfficialMatrix) {
  const TemporaryFolder folder;
  const std::string file = folder / "matrix.npz";
  const Outcome outcome =
      test::softscope("figure matrix " + goldenSoft + matrixTensor + " --data " + file +
                      " --layer block2.0.att.mha.attn --head 1 --cells 64");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const NamedArrays arrays = readNpz(file);
  ASSERT_EQ(arrays.size(), 5u);
  EXPECT_EQ(arrays[0].first, "checkpoint.block2_0_att_mha_attn.head_1");
  EXPECT_THAT(arrays[0].second.shape, ElementsAre(64, 64));
  const FloatArray expected = readNpy(data("golden/soft/block2_0_att_mha_attn.npy"));
  double mean = 0;
  double largest = 0;
  // 192 tokens in 64 areas: rows 30 to 32, columns 63 to 65.
  for (int i = 30; i < 33; ++i) {
    for (int j = 63; j < 66; ++j) {
      mean += double(expected.values[static_cast<std::size_t>((192 + i) * 192 + j)]) / 9;
    }
  }
  for (const float value : expected.values) largest = std::max(largest, double(std::abs(value)));
  EXPECT_NEAR(arrays[0].second.values[10 * 64 + 21], mean, 1e-4 * largest);
  EXPECT_EQ(arrays[1].first, "checkpoint.block2_0_att_mha_attn.line_score");
  EXPECT_THAT(arrays[1].second.shape, ElementsAre(1));
}

TEST(MatrixFigure, EveryLayerOfEveryModelHasItsMatrices) {
  const TemporaryFolder folder;
  const std::string models = goldenSoft + goldenSoft + "--attention soft --attention gaussian ";
  const Outcome outcome =
      test::softscope("figure matrix " + models + matrixTensor + " --layer all --cells 32 -o " +
                      (folder / "all.svg") + " --data " + (folder / "all.npz"));
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  // 2 + 2 + 2 + 3 + 4 heads and four line measures of 5 layers, twice.
  EXPECT_EQ(readNpz(folder / "all.npz").size(), 2u * (2 + 2 + 2 + 3 + 4 + 4 * 5));
  EXPECT_THAT(contentOf(folder / "all.svg"), HasSubstr("line score"));
}

TEST(MatrixFigure, WhatCannotBeMeantIsSaid) {
  const std::string start = "figure matrix " + goldenSoft + matrixTensor + " --data /tmp/none.npz ";
  for (const char* wrong : {"--part 0,0,2,1", "--part 0,0,1", "--part a,b,c,d", "--head mean",
                            "--head max", "--head 0 --head 1", "--cells 0", "--data none.csv"}) {
    const Outcome outcome = test::softscope(start + wrong);
    EXPECT_EQ(outcome.exitCode, 2) << wrong;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.errors;
  }
  const Outcome outcome = test::softscope(start + "--head 17");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.errors, HasSubstr("head 17 is outside 0 to"));
  EXPECT_EQ(
      test::softscope("figure heads " + goldenSoft + matrixTensor + " -o x.png --cells 8").exitCode,
      2);
}

/// The page in a workspace with the bundled model, as the window has it.
class MatrixPageCommand : public ::testing::Test {
 protected:
  MatrixPageCommand() : workspace_(networkEngine()), page_(workspace_) {
    setComputeThreads(1);
    QObject::connect(&workspace_.analysis(), &AnalysisChoice::changed, [this] { page_.showNow(); });
    workspace_.picture().open(QString::fromStdString(chelsea));
    ModelRequest request;
    request.path = nonLocalCheckpoint;
    workspace_.queue().open(request);
    settle();
    page_.showNow();
    settle();
  }
  void settle() { test::settle(workspace_); }
  FigureSource sourceOf(const PageFigure& figure) const {
    FigureSource source;
    for (const std::size_t index : figure.models) {
      const OpenedModel& model = workspace_.models().all()[index];
      source.models.push_back({model.request, model.inputSize});
    }
    source.picture = chelsea;
    source.threads = 1;
    return source;
  }
  /// What the page exports, and what its command writes.
  void expectSameBytes(const std::string& extension) {
    const auto figure = page_.figure();
    ASSERT_TRUE(figure);
    FigureSettings settings;
    settings.dpi = 90;
    const std::string written = folder_ / ("written" + extension);
    const std::string repeated = folder_ / ("repeated" + extension);
    saveFigure(
        written, figure->drawing.size(settings), settings.dpi,
        [&](QPainter& painter, const QRectF& place) {
          figure->drawing.paint(painter, place, settings);
        },
        figure->drawing.title(settings));
    const std::string command = figure->command(sourceOf(*figure), settings, repeated);
    const std::string numbers = folder_ / "repeated.npz";
    const Outcome outcome =
        test::softscope(command.substr(std::string("softscope ").size()) + " --data " + numbers);
    ASSERT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
    EXPECT_TRUE(contentOf(written) == contentOf(repeated)) << command;
    writeNpz(folder_ / "written.npz", figure->arrays());
    EXPECT_TRUE(contentOf(folder_ / "written.npz") == contentOf(numbers)) << command;
  }

  TemporaryFolder folder_;
  HeadlessApplication application_;
  Workspace workspace_;
  MatrixPage page_;
};

TEST_F(MatrixPageCommand, WritesTheSameBytesAsTheWindow) {
  expectSameBytes(".svg");
  AnalysisSettings settings = workspace_.analysis().settings();
  settings.of<MatrixSettings>().allHeads = true;
  settings.of<MatrixSettings>().part = {0.1 + 0.2, 1.0 / 3, 0.4, 0.25};
  workspace_.analysis().set(settings);
  ViewSettings view = workspace_.view().settings();
  view.colorMap = "viridis";
  view.smooth = true;
  workspace_.view().set(view);
  workspace_.queries().ask({0.3, 0.4});
  settle();
  for (const char* extension : {".png", ".pdf"}) expectSameBytes(extension);
}

}  // namespace
}  // namespace softscope
