#include "app/figures/drawing/HeadlessApplication.h"
#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "app/window/contents/WindowPages.h"
#include "core/network/Device.h"
#include "models/NetworkEngine.h"
#include "tests/app/commands/Run.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/core/survey/reading/WrittenSurvey.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/MapOptions.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtGui/QClipboard>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

using test::contentOf;
using test::Outcome;
using test::TemporaryFolder;

const std::string resources = std::string(SOFTSCOPE_SOURCE) + "/resources/";

/// The window on the bundled models, its pages one after the other.
class PageCommand : public test::WindowFixture {
 protected:
  static void SetUpTestSuite() { application_ = std::make_unique<HeadlessApplication>(); }
  static void TearDownTestSuite() { application_.reset(); }

  PageCommand() {
    setComputeThreads(1);
    WindowOptions options;
    options.threads = 1;
    options.picturePath = resources + "pictures/chelsea.png";
    for (const char* name : {"soft_everyday10", "soft_norm_everyday10"}) {
      ModelRequest request;
      request.path = resources + "checkpoints/" + name + ".safetensors";
      options.models.push_back(request);
    }
    start(networkEngine(), options, {1000, 700});
  }

  /// Writes what the page shows, runs the command it copies, and compares the files.
  void expectSameBytes(const std::string& page, const std::string& extension = ".svg") {
    SCOPED_TRACE(page + extension);
    FigureSettings settings;
    settings.dpi = 90;
    settings.width = 129;
    const std::string written = folder_ / (page + extension);
    const std::string repeated = folder_ / (page + "_repeated" + extension);
    ASSERT_TRUE(window_->figures().save(QString::fromStdString(written), settings));
    window_->figures().copyCommand(QString::fromStdString(repeated), settings);
    const std::string command = QGuiApplication::clipboard()->text().toStdString();
    const std::string program = "softscope ";
    ASSERT_EQ(command.substr(0, program.size()), program);
    const Outcome outcome = test::softscope(command.substr(program.size()));
    ASSERT_EQ(outcome.exitCode, 0) << command << '\n' << outcome.errors;
    EXPECT_FALSE(contentOf(written).empty());
    EXPECT_TRUE(contentOf(written) == contentOf(repeated)) << command;
  }

  void showPage(const char* page) {
    window_->workspace().setPage(QString::fromLatin1(page));
    settle();
  }

  template <typename Settings>
  void choose(const Settings& chosen) {
    AnalysisSettings settings = window_->workspace().analysis().settings();
    settings.of<Settings>() = chosen;
    window_->workspace().analysis().set(settings);
    settle();
  }

  void chooseScope(const AnalysisScope& scope) {
    AnalysisSettings settings = window_->workspace().analysis().settings();
    settings.setScope(window_->workspace().page().toStdString(), scope);
    window_->workspace().analysis().set(settings);
    settle();
  }

  TemporaryFolder folder_;

 private:
  inline static std::unique_ptr<HeadlessApplication> application_;
};

TEST_F(PageCommand, FollowsWhatIsShownOfASurvey) {
  SurveySettings shown;
  shown.file = folder_ / "small.survey";
  test::SmallSurvey::write(shown.file);
  shown.measure = "distance";
  showPage("survey");
  for (const auto& view : surveyShowNames) {
    shown.show = view.value;
    if (view.value == SurveyShow::Steps) {
      shown.file = folder_ / "steps.survey";
      test::SmallSurvey::write(shown.file);
      test::SmallSurvey::makeSteps(shown.file);
    }
    if (takesTwoMeasures(view.value)) shown.against = "accuracy";
    shown.byClass = view.value == SurveyShow::Means;
    shown.layer = view.value == SurveyShow::Histogram ? "first" : "";
    choose<SurveySettings>(shown);
    expectSameBytes("survey", view.value == SurveyShow::Scatter ? ".png" : ".svg");
  }
}

TEST_F(PageCommand, FollowsTheClassWhoseGradientIsShown) {
  window_->workspace().view().setMap(ShownMap::GradientProduct);
  for (const LogitRequest& logit : {LogitRequest{}, LogitRequest{.classIndex = 2, .against = 5}}) {
    chooseLogit(window_->workspace(), logit);
    settle();
    for (const char* page : {"heads", "compare", "matrix"}) {
      showPage(page);
      ASSERT_EQ(currentMap(window_->workspace()).shown, ShownMap::GradientProduct);
      expectSameBytes(page);
    }
  }
}

TEST_F(PageCommand, FollowsWhatReachesAToken) {
  window_->workspace().layers().choose("block2.1.att.mha.attn");
  showPage("reach");
  choose<ReachSettings>({.from = ReachSource::Tokens, .behind = ReachedToken::BehindAttention});
  expectSameBytes("reach");
}

TEST_F(PageCommand, MakesWhatThePageShows) {
  // In a few passes.
  choose<DeletionSettings>({.steps = 2, .random = 1});
  QStringList notPrinted;
  for (const WindowPage& page : windowPages()) {
    window_->workspace().setPage(page.name);
    settle();
    if (window_->canExport()) {
      expectSameBytes(page.name.toStdString());
    } else {
      notPrinted += page.name;
    }
  }
  // Pages of lists and of summaries.
  EXPECT_EQ(notPrinted.join(u' ').toStdString(), "cost survey models");
}

TEST_F(PageCommand, FollowsLayersAndModelsThatAreChosen) {
  AnalysisSettings settings = window_->workspace().analysis().settings();
  for (const char* analysis : {"spectrum", "convergence", "norms"}) {
    settings.setScope(analysis, {true, true});
  }
  settings.of<SpectrumSettings>() = {SpectrumMatrix::Inverse, false};
  settings.of<ConvergenceSettings>().scheme = InverseScheme::Theorem;
  settings.of<ConvergenceSettings>().iterations = 7;
  settings.of<ConvergenceSettings>().singlePrecision = true;
  settings.of<NormsSettings>().sizes = {96, 128};
  settings.of<NormsSettings>().rcond = 1e-8;
  window_->workspace().analysis().set(settings);
  for (const char* page : {"spectrum", "convergence", "norms"}) {
    showPage(page);
    expectSameBytes(page);
  }
}

TEST_F(PageCommand, FollowsTheMeasureOfTheOverview) {
  showPage("overview");
  for (const OverviewMeasure of : {OverviewMeasure::Entropy, OverviewMeasure::Entries}) {
    choose<OverviewSettings>({of});
    expectSameBytes("overview");
  }
}

TEST_F(PageCommand, FollowsTheMapThatIsChosen) {
  window_->workspace().layers().choose("block2.0.att.mha.attn");
  for (const ShownMap map : {ShownMap::Convolution, ShownMap::Effective}) {
    window_->workspace().view().setMap(map);
    for (const char* page : {"heads", "compare", "matrix", "spectrum"}) {
      showPage(page);
      expectSameBytes(page);
      EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(
          QStringLiteral(" --map %1 ")
              .arg(map == ShownMap::Effective ? QStringLiteral("effective")
                                              : QStringLiteral("convolution"))));
    }
  }
  // The bottleneck matrix, and softmax attention, have no convolution beside them.
  showPage("spectrum");
  choose<SpectrumSettings>({SpectrumMatrix::Bottleneck, true});
  expectSameBytes("spectrum");
  choose<SpectrumSettings>({SpectrumMatrix::Attention, true});
  window_->workspace().layers().choose("block4.1.attn");
  for (const char* page : {"heads", "compare", "matrix", "spectrum"}) {
    showPage(page);
    expectSameBytes(page);
    EXPECT_FALSE(QGuiApplication::clipboard()->text().contains(QStringLiteral("--map")));
  }
  EXPECT_EQ(window_->workspace().view().map(), ShownMap::Effective) << "for layers that have it";
}

TEST_F(PageCommand, FollowsViewAndHeadsOfSaliency) {
  showPage("saliency");
  choose<SaliencySettings>({SaliencySide::Keys, true});
  ViewSettings view;
  view.colorMap = "viridis";
  view.opacity = 0.4;
  view.smooth = true;
  view.normalisation = ViewSettings::Normalisation::Shared;
  window_->workspace().view().set(view);
  window_->workspace().layers().choose("block4.1.attn");
  settle();
  for (const char* extension : {".png", ".pdf"}) expectSameBytes("saliency", extension);
}

TEST_F(PageCommand, FollowsWhatIsShownOfTokens) {
  showPage("tokens");
  window_->workspace().layers().choose("block4.1.attn");
  for (const TokenSettings& settings :
       {TokenSettings{.of = TokenQuantity::Similarity},
        TokenSettings{.of = TokenQuantity::Components, .foreground = 40},
        TokenSettings{
            .of = TokenQuantity::Components, .foreground = 60, .foregroundBy = ForegroundBy::Query},
        TokenSettings{.of = TokenQuantity::Norms, .outlierRatio = 1.2}}) {
    choose<TokenSettings>(settings);
    expectSameBytes("tokens");
  }
  window_->workspace().queries().askNextPrefixToken();
  choose<TokenSettings>({});
  expectSameBytes("tokens");
  chooseScope({true, false});
  expectSameBytes("tokens");
  // Layers of several grids, asked away from the centre of any patch.
  window_->workspace().queries().ask({0.31, 0.43, {}});
  choose<TokenSettings>(
      {.of = TokenQuantity::Components, .foreground = 30, .foregroundBy = ForegroundBy::Query});
  expectSameBytes("tokens");
}

TEST_F(PageCommand, FollowsVectorsThatPatchesAreComparedWith) {
  const TemporaryFolder folder;
  FloatArray vectors{{2, 160}, {}};
  for (int i = 0; i < 320; ++i) vectors.values.push_back(static_cast<float>(i * i % 7 - 3));
  const std::string file = folder / "two words.npy";
  writeNpy(file, vectors);
  showPage("tokens");
  window_->workspace().layers().choose("block4.1.attn");
  choose<TokenSettings>({.vectors = {file}});
  expectSameBytes("tokens");
  choose<TokenSettings>({.vectors = {file, file},
                         .compared = ComparedTokens::Block,
                         .kept = {resources + "pictures/astronaut.jpg"}});
  expectSameBytes("tokens");
  // Settings that `figure tokens` refuses beside another quantity are left out of the command.
  choose<TokenSettings>({.of = TokenQuantity::Norms,
                         .foregroundBy = ForegroundBy::Query,
                         .vectors = {file},
                         .compared = ComparedTokens::Block});
  expectSameBytes("tokens");
}

TEST_F(PageCommand, FollowsPicturesThatAreKeptForTokens) {
  showPage("tokens");
  window_->workspace().layers().choose("block4.1.attn");
  const std::vector<std::string> kept{resources + "pictures/astronaut.jpg"};
  for (const TokenSettings& settings :
       {TokenSettings{.of = TokenQuantity::Similarity, .kept = kept},
        TokenSettings{.of = TokenQuantity::Components, .foreground = 40, .kept = kept},
        TokenSettings{.of = TokenQuantity::Components,
        .foreground = 60,
        .foregroundBy = ForegroundBy::Query,
        .kept = kept},
        TokenSettings{.of = TokenQuantity::Norms, .kept = kept},
        TokenSettings{.of = TokenQuantity::Matches, .lines = 7, .kept = kept},
        TokenSettings{
            .of = TokenQuantity::Matches, .matched = MatchedPatches::Query, .kept = kept}}) {
    choose<TokenSettings>(settings);
    expectSameBytes("tokens");
  }
  // The present picture among the kept ones is shown once.
  choose<TokenSettings>({.of = TokenQuantity::Components,
                         .kept = {kept.front(), resources + "pictures/chelsea.png"}});
  chooseScope({false, true});
  expectSameBytes("tokens");
}

TEST_F(PageCommand, FollowsTheQueryAndTheFusionOfRollouts) {
  showPage("rollout");
  window_->workspace().layers().choose("block4.1.attn");
  window_->workspace().queries().askNextPrefixToken();
  settle();
  expectSameBytes("rollout");
  choose<RolloutSettings>({RolloutHeads::Largest});
  ASSERT_TRUE(window_->canExport());
  expectSameBytes("rollout");
}

TEST_F(PageCommand, FollowsTheClassOfRolloutsOfGradients) {
  choose<RolloutSettings>({RolloutHeads::Largest});
  window_->workspace().view().setMap(ShownMap::GradientProduct);
  window_->workspace().layers().choose("block3.1.att.mha.attn");
  window_->workspace().queries().ask({.x = 0.375, .y = 0.385});
  showPage("rollout");
  expectSameBytes("rollout");
  choose<ClassMapSettings>({.classIndex = 4, .against = 7});
  settle();
  expectSameBytes("rollout");
}

TEST_F(PageCommand, FollowsTheQueryOfReach) {
  choose<ReachSettings>({.of = ReachGradient::PositiveSum});
  window_->workspace().layers().choose("block1.0.att.mha.attn");
  window_->workspace().queries().ask({.x = 0.375, .y = 0.385});
  showPage("reach");
  expectSameBytes("reach");
}

TEST_F(PageCommand, FollowsTheLayersOfSinks) {
  showPage("sinks");
  expectSameBytes("sinks");
  choose<SinksSettings>({.least = 5});
  expectSameBytes("sinks");
}

TEST_F(PageCommand, FollowsTheClassesOfClassMaps) {
  choose<ClassMapSettings>({.points = 2});
  showPage("class");
  expectSameBytes("class");
  choose<ClassMapSettings>({.method = ClassMethod::GradientRollout,
                            .entries = AttentionEntries::Signed,
                            .classIndex = 4,
                            .against = 7});
  expectSameBytes("class");
  window_->workspace().layers().choose("block2.1.att.mha.attn");
  choose<ClassMapSettings>({.method = ClassMethod::GradCam, .against = 2, .atLayer = true});
  expectSameBytes("class");
}

TEST_F(PageCommand, FollowsWhatIsRemovedAndInWhichOrders) {
  window_->workspace().layers().choose("block3.1.att.mha.attn");
  choose<DeletionSettings>({.removal = PatchRemoval::Blur,
                            .classIndex = 4,
                            .steps = 3,
                            .patch = 32,
                            .rollout = false,
                            .received = false,
                            .random = 2});
  showPage("deletion");
  for (const char* extension : {".png", ".pdf"}) expectSameBytes("deletion", extension);
}

TEST_F(PageCommand, FollowsHeadLandmarkAndQueryOfBottlenecks) {
  showPage("bottleneck");
  window_->workspace().layers().choose("block3.1.att.mha.attn");
  choose<BottleneckSettings>({false, 2, 7});
  for (const char* extension : {".png", ".pdf"}) expectSameBytes("bottleneck", extension);
  choose<BottleneckSettings>({true, 2, 7});
  window_->workspace().queries().ask({0.1 + 0.2, 1.0 / 3});
  settle();
  for (const char* extension : {".png", ".pdf"}) expectSameBytes("bottleneck", extension);
  choose<BottleneckSettings>({true, 2, 7, LandmarkSource::Pooled});
  expectSameBytes("bottleneck");
}

TEST(WindowCommand, LeavesOnceItsFirstAnswerIsPainted) {
  const TemporaryFolder home;
  const std::string variables = "QT_QPA_PLATFORM=offscreen XDG_CONFIG_HOME=" + (home / "config") +
                                " XDG_DATA_HOME=" + (home / "data");
  for (const char* step : {"paint", "answer"}) {
    const Outcome outcome =
        test::softscope("--threads 1 --quit-after " + std::string(step), variables);
    EXPECT_EQ(outcome.exitCode, 0) << step;
    EXPECT_THAT(outcome.errors, ::testing::Not(::testing::HasSubstr("softscope:")));
  }
  EXPECT_EQ(test::softscope("--quit-after lunch", variables).exitCode, 2);
}

}  // namespace
}  // namespace softscope
