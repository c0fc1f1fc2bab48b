#include "app/figures/drawing/HeadlessApplication.h"
#include "core/Error.h"
#include "core/network/Device.h"
#include "core/network/Inspector.h"
#include "models/OpenModel.h"
#include "tests/app/commands/Run.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/figure/FigureFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

namespace softscope {
namespace {

using test::contentOf;
using test::data;
using test::Outcome;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string chelseaPath = std::string(SOFTSCOPE_SOURCE) + "/resources/pictures/chelsea.png";
const std::string checkpoints = std::string(SOFTSCOPE_SOURCE) + "/resources/checkpoints/";

/// A model that looked at the picture, as the window has it.
struct Look {
  FigureModel asked;
  ModelSummary summary;
  std::shared_ptr<const Inspection> inspection;
  PictureRegion region;
};

Look look(const FigureModel& asked, const Picture& picture) {
  setComputeThreads(1);
  const auto model = openModel(asked.request);
  const PreparedPicture prepared =
      preparePicture(picture, withInputSize(model->summary().transform, asked.inputSize));
  return {asked, model->summary(), inspect(*model, prepared.input), prepared.region};
}

FigureModel asked(const std::string& path) {
  FigureModel model;
  model.request.path = path;
  return model;
}

/// A figure of heads, or of a comparison, and how it is printed.
struct PrintedHeads : HeadsSubject {
  FigureSettings settings;

  PanelFigure panels() const {
    PanelFigure figure = headsFigure(*this);
    figure.settings = settings;
    return figure;
  }
  AnalysisCommand command() const { return headsCommand(*this); }
};
struct PrintedComparison : CompareSubject {
  FigureSettings settings;

  PanelFigure panels() const { return compareFigure(*this, settings); }
  AnalysisCommand command() const { return compareCommand(*this); }
};

class FigureCommandText : public ::testing::Test {
 protected:
  /// One for all tests: Qt has one application a process.
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  PrintedHeads printedHeads(const std::string& picture = chelseaPath) {
    source_ = {{asked(checkpoints + "soft_norm_everyday10.safetensors")}, picture, 1};
    PrintedHeads figure;
    figure.picture = std::make_shared<const Picture>(readPicture(picture));
    const Look seen = look(source_.models[0], *figure.picture);
    figure.region = seen.region;
    figure.modelName = "soft_norm_everyday10";
    figure.layers = {*seen.inspection->find("block2.0.att.mha.attn")};
    figure.queries = markedQueries({{0.1 + 0.2, 1.0 / 3}});
    figure.settings.dpi = 90;
    return figure;
  }

  PrintedComparison printedComparison() {
    FigureModel gaussian = asked(checkpoints + "soft_everyday10.safetensors");
    gaussian.request.attention = "gaussian";
    gaussian.inputSize = *parseInputSize("96x128");
    source_ = {{asked(checkpoints + "soft_norm_everyday10.safetensors"), gaussian}, chelseaPath, 1};
    PrintedComparison figure;
    figure.picture = std::make_shared<const Picture>(readPicture(chelseaPath));
    for (const FigureModel& model : source_.models) {
      const Look seen = look(model, *figure.picture);
      figure.rows.push_back(compareRow(seen.summary, *seen.inspection,
                                       *seen.inspection->find("block2.0.att.mha.attn"),
                                       seen.region));
    }
    figure.queries = markedQueries({{0.3, 0.4}, {0.7, 0.6}});
    figure.settings.dpi = 90;
    return figure;
  }

  /// Reads the picture otherwise, as the window may.
  void readAgain(PrintedHeads& figure, const PictureReading& reading) {
    source_.reading = reading;
    figure.picture = std::make_shared<const Picture>(readPicture(source_.picture, reading));
    figure.layers = {
        *look(source_.models[0], *figure.picture).inspection->find("block2.0.att.mha.attn")};
  }

  template <typename Figure>
  std::string commandOf(const Figure& figure, const std::string& output) {
    return figureCommandText(figure.command(), source_, figure.settings, output);
  }

  /// Writes the figure, runs its command, and compares the files.
  template <typename Figure>
  void expectSameBytes(const Figure& figure, const std::string& extension) {
    const std::string written = folder_ / ("written" + extension);
    const std::string repeated = folder_ / ("it's repeated" + extension);
    const PanelFigure panels = figure.panels();
    saveFigure(
        written, panelFigureSize(panels), figure.settings.dpi,
        [&](QPainter& painter, const QRectF& place) { paintPanelFigure(painter, place, panels); },
        figureTitle(panels));
    const std::string command = commandOf(figure, repeated);
    const std::string program = "softscope ";
    ASSERT_EQ(command.substr(0, program.size()), program);
    const Outcome outcome = test::softscope(command.substr(program.size()));
    ASSERT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
    EXPECT_FALSE(contentOf(written).empty());
    EXPECT_TRUE(contentOf(written) == contentOf(repeated)) << command;
  }

  TemporaryFolder folder_;
  FigureSource source_;

 private:
  inline static std::unique_ptr<HeadlessApplication> application_;
};

TEST_F(FigureCommandText, RepeatsAFigureInEveryFormat) {
  const PrintedHeads figure = printedHeads();
  for (const char* extension : {".png", ".svg", ".pdf"}) expectSameBytes(figure, extension);
}

TEST_F(FigureCommandText, LeavesOutWhatIsUsual) {
  const std::string command = commandOf(printedHeads(), "heads.pdf");
  EXPECT_THAT(command, HasSubstr("--at 0.30000000000000004,0.3333333333333333 "));
  EXPECT_THAT(command, HasSubstr(" --layer block2.0.att.mha.attn "));
  for (const char* option : {"--width", "--font", "--opacity", "--mark", "--ground", "--head"}) {
    EXPECT_THAT(command, Not(HasSubstr(option)));
  }
}

TEST_F(FigureCommandText, RepeatsEverySetting) {
  PrintedHeads figure = printedHeads();
  figure.queries = {{{0.2, 0.7}, QColor(0x12, 0xab, 0xef), QStringLiteral("C")},
                    {{0.6, 0.5}, QColor(Qt::white), QString()}};
  figure.shown.heads = {1, 0};
  figure.shown.mean = true;
  figure.direction = Direction::Columns;
  figure.view.colorMap = "viridis";
  figure.view.divergingColorMap = "purple-white-green";
  figure.view.opacity = 0.35;
  figure.view.normalisation = ViewSettings::Normalisation::Percentile;
  figure.view.smooth = true;
  figure.view.absolute = true;
  figure.settings.width = 101.7;
  figure.settings.columns = 2;
  figure.settings.points = 7.25;
  figure.settings.letters = true;
  figure.settings.background = FigureSettings::Background::Transparent;
  figure.shown.largest = true;
  expectSameBytes(figure, ".png");
  figure.settings.titles = false;
  figure.settings.colorBars = false;
  figure.settings.background = FigureSettings::Background::Dark;
  figure.view.normalisation = ViewSettings::Normalisation::Shared;
  figure.shown.single = false;
  expectSameBytes(figure, ".pdf");
}

TEST_F(FigureCommandText, RepeatsHowThePictureWasRead) {
  const std::string stack = test::data("image/stack16.tif");
  PrintedHeads figure = printedHeads(stack);
  EXPECT_THAT(commandOf(figure, "x.pdf"),
              AllOf(Not(HasSubstr("--levels")), Not(HasSubstr("--page"))));
  readAgain(figure, {ExifOrientation::Apply, parseSampleRange("300,3000").value(), 2});
  EXPECT_THAT(commandOf(figure, "x.pdf"), HasSubstr(" --levels 300,3000 --page 2 "));
  expectSameBytes(figure, ".png");
}

TEST_F(FigureCommandText, SaysWhichSummariesOfHeads) {
  PrintedHeads figure = printedHeads();
  figure.shown.largest = true;
  EXPECT_THAT(commandOf(figure, "x.pdf"), HasSubstr(" --head all --head max "));
  figure.shown.heads = {1};
  EXPECT_THAT(commandOf(figure, "x.pdf"), HasSubstr(" --head 1 --head max "));
  figure.shown = {.single = false, .largest = true};
  EXPECT_THAT(commandOf(figure, "x.pdf"),
              AllOf(HasSubstr(" --head max "), Not(HasSubstr("--head all"))));
}

TEST_F(FigureCommandText, QuotesPaths) {
  const std::string picture = folder_ / "a cat's $HOME; \"it\".png";
  std::filesystem::copy_file(chelseaPath, picture);
  expectSameBytes(printedHeads(picture), ".svg");
}

TEST_F(FigureCommandText, RepeatsComparisons) {
  PrintedComparison figure = printedComparison();
  expectSameBytes(figure, ".svg");
  figure.differences = {{0, 1, true}};
  figure.linkedScales = true;
  expectSameBytes(figure, ".pdf");
  figure.shown = {.single = false, .mean = true};
  figure.linkedScales = false;
  figure.settings.letters = true;
  expectSameBytes(figure, ".png");
}

TEST_F(FigureCommandText, SaysWhatEachModelWasAskedFor) {
  const PrintedComparison figure = printedComparison();
  source_.models[0].request.activation = "relu";
  source_.models[1].request.heads = HeadCounts({1, 2});
  source_.models[1].request.epsilon = "1e-05";
  source_.models[1].request.classNames = "/names/of.txt";
  source_.models[0].request.landmarks = {LandmarkSource::Pooled, 16};
  const std::string command = commandOf(figure, "x.pdf");
  EXPECT_THAT(command, HasSubstr(" --activation relu --activation auto "));
  EXPECT_THAT(command, HasSubstr(" --class-names auto --class-names /names/of.txt "));
  EXPECT_THAT(command, HasSubstr(" --epsilon auto --epsilon 1e-05 "));
  EXPECT_THAT(command, HasSubstr(" --heads 0 --heads 1,2 "));
  EXPECT_THAT(command, HasSubstr(" --attention auto --attention gaussian "));
  EXPECT_THAT(command, HasSubstr(" --landmarks pooled --landmarks trained --landmark-count 16 "
                                 "--landmark-count 0 "));
  EXPECT_THAT(command, Not(HasSubstr("--ignore-unexpected")));
}

TEST_F(FigureCommandText, SaysThatUnexpectedParametersAreIgnored) {
  const PrintedComparison figure = printedComparison();
  source_.models[1].request.ignoresUnexpected = true;
  EXPECT_THAT(commandOf(figure, "x.pdf"), HasSubstr(" --ignore-unexpected "));
  expectSameBytes(figure, ".svg");
}

TEST_F(FigureCommandText, RepeatsLandmarksOfChoice) {
  PrintedHeads figure = printedHeads();
  source_.models[0].request.landmarks = {LandmarkSource::Random, 16, 3};
  const Look seen = look(source_.models[0], *figure.picture);
  figure.layers = {*seen.inspection->find("block2.0.att.mha.attn")};
  figure.mechanismNote = seen.summary.mechanismNote();
  EXPECT_EQ(figure.mechanismNote, "16 random landmarks, seed 3, not what was trained");
  EXPECT_THAT(commandOf(figure, "x.svg"),
              HasSubstr(" --landmarks random --landmark-count 16 --landmark-seed 3 "));
  expectSameBytes(figure, ".svg");
}

TEST_F(FigureCommandText, ASingleTokenKeepsItsPlaceForLayersWithoutOne) {
  PrintedHeads figure = printedHeads();
  figure.queries = {{{0.25, 0.5, 0}}};
  EXPECT_THAT(commandOf(figure, "x.pdf"), HasSubstr("--at 0.25,0.5,token0"));
  expectSameBytes(figure, ".svg");
}

TEST_F(FigureCommandText, APictureThatIsNoFileHasNoCommand) {
  const PrintedHeads figure = printedHeads();
  source_.picture = "the pasted picture";
  EXPECT_THROW(commandOf(figure, "heads.pdf"), Error);
}

}  // namespace
}  // namespace softscope
