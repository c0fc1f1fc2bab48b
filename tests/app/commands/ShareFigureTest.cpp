#include "app/figures/drawing/HeadlessApplication.h"
#include "core/image/PreparedPicture.h"
#include "core/network/Device.h"
#include "core/network/Measurements.h"
#include "models/OpenModel.h"
#include "tests/app/commands/Run.h"
#include "widgets/analysis/LayerFigures.h"
#include "widgets/figure/FigureFile.h"
#include "widgets/pages/Page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string sharePicture = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
const std::string shareSoft = data("golden/soft/checkpoint.pth");
const std::string deit = data("golden/deit/checkpoint.pth");
const std::string softTensor = data("golden/soft/input.npy");

std::vector<std::vector<std::string>> rowsOf(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(contentOf(path));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells{""};
    for (const char letter : line) {
      if (letter == ',') {
        cells.emplace_back();
      } else {
        cells.back().push_back(letter);
      }
    }
    rows.push_back(cells);
  }
  return rows;
}

TEST(ShareFigure, WritesARowForEveryLayerAndHead) {
  const TemporaryFolder folder;
  const std::string file = folder / "share.csv";
  const Outcome outcome = test::softscope("figure share -m " + shareSoft + " --attention soft " +
                                          softTensor + " --data " + file);
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, file + "\n");
  const auto rows = rowsOf(file);
  EXPECT_THAT(rows[0], ElementsAre("model", "layer", "head", "attention_norm", "beside_norm",
                                   "residual_norm", "knockout_logit_change", "knockout_class",
                                   "projected_attention_norm", "output_norm",
                                   "knockout_relative_change", "predicted_class"));
  ASSERT_EQ(rows.size(), 1u + 5 + (2 + 2 + 2 + 3 + 4));
  EXPECT_EQ(rows[1][0], "checkpoint");
  EXPECT_EQ(rows[1][1], "block1.0.att.mha.attn");
  EXPECT_EQ(rows[1][2], "-1");
  EXPECT_EQ(rows[2][2], "0");
  EXPECT_EQ(rows[3][2], "1");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), rows[0].size());
    const bool last = rows[i][1] == "block4.0.attn";
    EXPECT_EQ(rows[i][4].empty(), last) << "an ordinary block adds nothing beside its attention";
    EXPECT_GT(std::stod(rows[i][3]), 0);
    EXPECT_GT(std::stod(rows[i][6]), 0);
    EXPECT_EQ(rows[i][11], rows[1][11]);
  }
}

TEST(ShareFigure, LayersAndKnockoutsCanBeLeftOut) {
  const TemporaryFolder folder;
  const std::string file = folder / "share.csv";
  const Outcome outcome = test::softscope(
      "figure share -m " + shareSoft + " --attention soft " + softTensor + " --data " + file +
      " --layer 'block2.*' --no-knockouts -o " + (folder / "share.svg") + " --share beside");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.errors;
  const auto rows = rowsOf(file);
  ASSERT_EQ(rows.size(), 1u + 2 * 3);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_THAT(rows[i][1], StartsWith("block2."));
    EXPECT_THAT((std::vector{rows[i][6], rows[i][7], rows[i][10]}), ElementsAre("", "", ""));
  }
  EXPECT_THAT(contentOf(folder / "share.svg"), HasSubstr("<text"));
}

TEST(ShareFigure, SaysWhyThereIsNoMap) {
  const TemporaryFolder folder;
  const std::string output = " -o " + (folder / "share.png");
  Outcome outcome =
      test::softscope("figure share -m " + deit + " --attention softmax " +
                      data("golden/deit/input.npy") + output + " --share beside --no-knockouts");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.errorLines(), 1);
  EXPECT_THAT(outcome.errors, HasSubstr("beside their attention"));
  outcome =
      test::softscope("figure share -m " + deit + " --attention softmax " +
                      data("golden/deit/input.npy") + output + " --share knockout --no-knockouts");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--no-knockouts leaves out"));
  outcome =
      test::softscope("figure heads -m " + deit + " " + sharePicture + output + " --no-knockouts");
  EXPECT_EQ(outcome.exitCode, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("belongs to figure share"));
}

TEST(ShareFigure, AModelWithoutSuchAMapIsLeftOutByName) {
  const TemporaryFolder folder;
  const Outcome outcome =
      test::softscope("figure share -m " + shareSoft + " --attention soft -m " + deit +
                      " --attention softmax --size 64x96 " + sharePicture +
                      " --share beside --no-knockouts -o " + (folder / "share.svg"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("checkpoint_2 is left out"));
}

TEST(ShareFigure, TheWindowsCommandWritesTheSameBytes) {
  const HeadlessApplication application;
  const TemporaryFolder folder;
  setComputeThreads(1);
  FigureModel asked;
  asked.request.path = shareSoft;
  asked.request.attention = "soft";
  asked.inputSize = *parseInputSize("64x96");
  const auto model = openModel(asked.request);
  const PreparedPicture prepared = preparePicture(
      readPicture(sharePicture), withInputSize(model->summary().transform, asked.inputSize));
  const std::vector<MeasuredShare> measured{
      {"checkpoint", {}, model->summary().classNames, measureShare(*model, prepared.input)}};
  const std::pair<ShareReference, const char*> names[] = {{ShareReference::Residual, "residual"},
                                                          {ShareReference::Beside, "beside"},
                                                          {ShareReference::Knockout, "knockout"}};
  for (const auto& [of, name] : names) {
    const PageFigure page = pageFigure(QStringLiteral("share"), shareFigure(measured, {of, true}),
                                       {0}, {"share", {"--share", name}});
    FigureSettings settings;
    settings.dpi = 90;
    settings.background = FigureSettings::Background::Dark;
    for (const char* extension : {".png", ".svg", ".pdf"}) {
      const std::string written = folder / (std::string("written") + extension);
      const std::string repeated = folder / (std::string("repeated") + extension);
      saveFigure(
          written, page.drawing.size(settings), settings.dpi,
          [&](QPainter& painter, const QRectF& place) {
            page.drawing.paint(painter, place, settings);
          },
          page.drawing.title(settings));
      const std::string command = page.command({{asked}, sharePicture, 1}, settings, repeated);
      const std::string numbers = folder / "share.csv";
      const Outcome outcome =
          test::softscope(command.substr(command.find(' ') + 1) + " --data " + numbers);
      ASSERT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
      EXPECT_FALSE(contentOf(written).empty());
      EXPECT_TRUE(contentOf(written) == contentOf(repeated)) << command;
      EXPECT_EQ(contentOf(numbers), csvText(shareTable(measured)));
    }
  }
}

}  // namespace
}  // namespace softscope
