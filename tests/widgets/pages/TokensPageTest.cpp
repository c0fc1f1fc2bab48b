#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "core/array/Npy.h"
#include "core/image/PictureReading.h"
#include "core/inspect/TokenInspection.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/WholeText.h"
#include "widgets/analysis/TokensFigure.h"
#include "widgets/figure/FigureCommandText.h"
#include "widgets/pages/TokensPage.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/MatchGrid.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"
#include "widgets/workspace/WorkspaceFigures.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QDataStream>
#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace softscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Tokens that depend on the pixels of the input, so that pictures differ.
std::shared_ptr<const TokenInspection> tokensOfPixels(const Model& model, const InputTensor& input,
                                                      const Progress&) {
  auto inspection = std::make_shared<TokenInspection>();
  const int sides[] = {8, 4, 4};
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const int side = sides[layer];
    Matrix tokens(side * side, 4);
    for (int patch = 0; patch < side * side; ++patch) {
      const std::size_t pixel =
          std::size_t(patch / side * (64 / side)) * 64 + std::size_t(patch % side * (64 / side));
      for (int channel = 0; channel < 3; ++channel) {
        tokens(patch, channel) = input.values[std::size_t(channel) * 64 * 64 + pixel];
      }
      tokens(patch, 3) = 0.01f * static_cast<float>(patch);
    }
    inspection->layers.push_back(
        {model.summary().layers[layer].name, {side, side}, tokens, tokens.rowwise().norm()});
  }
  return inspection;
}

class TokensPageTest : public test::WindowFixture {
 protected:
  TokensPageTest() {
    WindowOptions options;
    first_ = test::writeTestPicture(64, 64, "first.png");
    second_ = test::writeTestPicture(64, 48, "second.png");
    options.picturePath = first_;
    options.models.resize(1);
    options.models[0].path = "model.pth";
    Engine engine = test::syntheticEngine([](const ModelRequest& request, const Progress&) {
      const auto model = test::syntheticModel(request);
      if (request.path != "live.pth") return model;
      ModelSummary summary = model->summary();
      summary.isLive = true;
      return std::shared_ptr<const Model>(std::make_shared<Model>(summary, nullptr));
    });
    engine.inspectTokens = tokensOfPixels;
    start(engine, options, {1000, 700});
    window_->workspace().setPage(QStringLiteral("tokens"));
    settle();
  }

  TokenSettings settings() const {
    return window_->workspace().analysis().settings().of<TokenSettings>();
  }
  void show(TokenQuantity of, MatchedPatches matched = MatchedPatches::All) {
    AnalysisSettings all = window_->workspace().analysis().settings();
    all.of<TokenSettings>().of = of;
    all.of<TokenSettings>().matched = matched;
    window_->workspace().analysis().set(all);
    settle();
  }
  void openSecond() {
    window_->workspace().picture().open(QString::fromStdString(second_));
    settle();
  }
  TokensPage& page() const { return *window_->findChild<TokensPage*>(); }
  HeadGrid& maps() const { return *page().findChild<HeadGrid*>(); }
  MatchGrid& pairs() const { return *page().findChild<MatchGrid*>(); }
  /// Returns the button of that name, the one that is visible among several.
  QPushButton& button(const QString& begin) const {
    QPushButton* found = nullptr;
    for (auto* button : page().findChildren<QPushButton*>()) {
      if (!button->accessibleName().startsWith(begin)) continue;
      if (button->isVisible()) return *button;
      found = button;
    }
    if (found) return *found;
    throw std::runtime_error("no button " + begin.toStdString());
  }
  std::string words() const { return test::wordsOf(page()); }

  std::string first_;
  std::string second_;
};

TEST_F(TokensPageTest, KeepsAPictureAndLetsItGo) {
  QPushButton& keep = button("Keep");
  QPushButton& release = button("Let go of 0 pictures");
  EXPECT_TRUE(keep.isEnabled());
  EXPECT_FALSE(release.isVisible());
  keep.click();
  settle();
  EXPECT_THAT(settings().kept, ElementsAre(absolutePath(first_)));
  EXPECT_FALSE(keep.isEnabled()) << "it is kept";
  EXPECT_TRUE(release.isVisible());
  EXPECT_EQ(maps().count(), 1) << "the present picture is not shown twice";
  openSecond();
  EXPECT_TRUE(keep.isEnabled()) << "another may be kept as well";
  EXPECT_EQ(maps().count(), 2);
  EXPECT_EQ(maps().view(0).panel().title.toStdString(), "second · block1.0");
  EXPECT_EQ(maps().view(1).panel().title.toStdString(), "first · block1.0");
  release.click();
  settle();
  EXPECT_THAT(settings().kept, IsEmpty());
  EXPECT_EQ(maps().count(), 1);
}

TEST_F(TokensPageTest, DrawsTheNextPictureInTheComponentsOfTheKeptOne) {
  show(TokenQuantity::Components);
  const Matrix colors = maps().view(0).panel().colors;
  button("Keep").click();
  settle();
  EXPECT_EQ(maps().view(0).panel().colors, colors) << "its own components are the same";
  openSecond();
  ASSERT_EQ(maps().count(), 2);
  EXPECT_EQ(maps().view(1).panel().colors, colors) << "colours of the kept picture stay";
  const Matrix kept = maps().view(0).panel().colors;
  EXPECT_THAT(words(), HasSubstr("fitted on first"));
  button("Let go").click();
  settle();
  EXPECT_NE(maps().view(0).panel().colors, kept);
}

TEST_F(TokensPageTest, ComparesTheQueryWithTheKeptPicture) {
  button("Keep").click();
  openSecond();
  ASSERT_EQ(maps().count(), 2);
  EXPECT_TRUE(maps().view(0).panel().query);
  EXPECT_FALSE(maps().view(1).panel().query);
  EXPECT_EQ(maps().view(1).panel().outlines.size(), 1u) << "the patch that is most alike";
  EXPECT_TRUE(maps().view(0).askedAt(maps().view(0).imageRect().center()));
  EXPECT_FALSE(maps().view(1).askedAt(maps().view(1).imageRect().center()))
      << "queries are on the present picture";
  const Vector before = maps().view(1).panel().values.patches;
  QTest::mouseClick(&maps().view(0), Qt::LeftButton, Qt::NoModifier,
                    maps().view(0).imageRect().topLeft().toPoint() + QPoint(3, 3));
  settle();
  EXPECT_NE(maps().view(1).panel().values.patches, before);
}

TEST_F(TokensPageTest, AClickMovesTheForegroundLikeThePatch) {
  const auto boxes = page().findChildren<QComboBox*>();
  const auto found = std::ranges::find(boxes, "Foreground by", &QComboBox::accessibleName);
  ASSERT_NE(found, boxes.end());
  const QComboBox* choice = *found;
  EXPECT_FALSE(choice->isVisible()) << "similarity has no foreground";
  show(TokenQuantity::Components);
  EXPECT_TRUE(choice->isVisible());
  EXPECT_FALSE(choice->isEnabled()) << "all patches are foreground";
  AnalysisSettings all = window_->workspace().analysis().settings();
  all.of<TokenSettings>().foreground = 99;
  window_->workspace().analysis().set(all);
  settle();
  EXPECT_TRUE(choice->isEnabled());
  const auto click = [&](const QPoint& offset) {
    QTest::mouseClick(&maps().view(0), Qt::LeftButton, Qt::NoModifier,
                      maps().view(0).imageRect().topLeft().toPoint() + offset);
    QCoreApplication::processEvents();
  };
  const auto foreground = [&] {
    std::vector<int> patches;
    const Matrix& colors = maps().view(0).panel().colors;
    for (int i = 0; i < colors.rows(); ++i) {
      if (!std::isnan(colors(i, 0))) patches.push_back(i);
    }
    return patches;
  };
  const std::vector<int> ofComponent = foreground();
  click({3, 3});
  EXPECT_FALSE(window_->workspace().worker().isBusy()) << "the first component asks nobody";
  EXPECT_EQ(foreground(), ofComponent);

  all.of<TokenSettings>().foregroundBy = ForegroundBy::Query;
  window_->workspace().analysis().set(all);
  settle();
  const std::vector<int> ofCorner = foreground();
  EXPECT_THAT(ofCorner, ::testing::Contains(0)) << "a patch is like itself";
  EXPECT_THAT(words(), HasSubstr("at least 0.99"));
  const QSizeF size = maps().view(0).imageRect().size();
  click(QPoint(static_cast<int>(size.width()) - 3, static_cast<int>(size.height()) - 3));
  EXPECT_TRUE(page().hasFigure()) << "the former foreground stays until the next is there";
  settle();
  EXPECT_NE(foreground(), ofCorner);
  EXPECT_THAT(foreground(), ::testing::Contains(63));
  // A query elsewhere on the same patch gives the same components.
  click(QPoint(static_cast<int>(size.width()) - 6, static_cast<int>(size.height()) - 6));
  EXPECT_FALSE(window_->workspace().worker().isBusy());
}

TEST_F(TokensPageTest, ComparesPatchesWithVectors) {
  const QTemporaryDir folder;
  const std::string file = folder.filePath(QStringLiteral("words.npy")).toStdString();
  writeNpy(file, {{2, 4}, {1, 0, 0, 0, 0, 0, 0, 1}});
  QPushButton& release = button("Let go of 0 vectors");
  EXPECT_FALSE(release.isVisible());
  EXPECT_TRUE(button("Compare").isVisible());
  QMimeData dropped;
  dropped.setUrls({QUrl::fromLocalFile(QString::fromStdString(file))});
  window_->workspace().setPage(QStringLiteral("heads"));
  window_->files().open(dropped);
  settle();
  EXPECT_EQ(window_->workspace().page(), QStringLiteral("tokens"));
  EXPECT_THAT(settings().vectors, ElementsAre(file));
  ASSERT_EQ(maps().count(), 2);
  EXPECT_EQ(maps().view(1).panel().note.toStdString(), "row 1 of words.npy");
  EXPECT_FALSE(maps().view(0).panel().query) << "no place is asked";
  EXPECT_THAT(words(),
              HasSubstr("each patch's token to row 0 of words.npy and row 1 of words.npy"));
  // The last of four channels grows with the patches.
  const Vector cosines = maps().view(1).panel().values.patches;
  EXPECT_GT(cosines[63], cosines[0]);
  const auto figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->caveats().size(), 2u);

  QTest::mouseClick(&maps().view(0), Qt::LeftButton, Qt::NoModifier,
                    maps().view(0).imageRect().topLeft().toPoint() + QPoint(3, 3));
  QCoreApplication::processEvents();
  EXPECT_FALSE(window_->workspace().worker().isBusy()) << "a click asks a vector nothing";

  QPushButton& shown = button("Let go of words.npy");
  EXPECT_TRUE(shown.isVisible());
  shown.click();
  settle();
  EXPECT_THAT(settings().vectors, IsEmpty());
  EXPECT_EQ(maps().count(), 1);
  EXPECT_TRUE(maps().view(0).panel().query);
}

TEST_F(TokensPageTest, SaysWhyAVectorCannotBeCompared) {
  const QTemporaryDir folder;
  const std::string file = folder.filePath(QStringLiteral("long.npy")).toStdString();
  writeNpy(file, {{5}, {1, 2, 3, 4, 5}});
  window_->workspace().analysis().compareVectors({QString::fromStdString(file)});
  settle();
  EXPECT_THAT(words(), HasSubstr("long.npy has 5 numbers"));
  EXPECT_FALSE(page().hasFigure());
  button("Let go of long.npy").click();
  settle();
  EXPECT_TRUE(page().hasFigure());
  // Chosen again, it is read anew.
  writeNpy(file, {{4}, {1, 2, 3, 4}});
  window_->workspace().analysis().compareVectors({QString::fromStdString(file)});
  settle();
  EXPECT_TRUE(page().hasFigure());
}

TEST(TokensFigureMarks, StandOnThePictureThatIsAsked) {
  std::vector<AnalysedTokens> layers;
  for (const char* picture : {"cat", "dog"}) {
    auto inspection = std::make_shared<TokenInspection>();
    const Matrix tokens = Matrix::Random(16, 5);
    inspection->layers.push_back({"blocks.0", {4, 4}, tokens, tokens.rowwise().norm()});
    layers.push_back({"model", "", inspection, 0, {0, 0, 1, 1}, picture});
  }
  const PictureQuery query{0.3, 0.6, {}};
  for (const ForegroundBy by : {ForegroundBy::Component, ForegroundBy::Query}) {
    const TokenSettings settings{
        .of = TokenQuantity::Components, .foreground = 10, .foregroundBy = by};
    const PanelFigure figure =
        tokensFigure(tokenMaps(layers, settings, {query}), markedQueries({query}), {});
    ASSERT_EQ(figure.blocks.size(), 2u);
    const auto isMarked = [](const FigureBlock& block) {
      return std::ranges::any_of(
          block.cells, [](const FigureCell& cell) { return cell.panel.query.has_value(); });
    };
    EXPECT_EQ(isMarked(figure.blocks[0]), by == ForegroundBy::Query);
    EXPECT_FALSE(isMarked(figure.blocks[1])) << "the query is on the first picture";
  }
}

TEST_F(TokensPageTest, MatchesNeedAnotherPicture) {
  show(TokenQuantity::Matches);
  EXPECT_THAT(words(), HasSubstr("Keep this picture"));
  EXPECT_FALSE(page().hasFigure());
  button("Keep").click();
  settle();
  EXPECT_THAT(words(), HasSubstr("Open another"));
  openSecond();
  EXPECT_TRUE(page().hasFigure());
  ASSERT_EQ(pairs().count(), 1);
  EXPECT_FALSE(pairs().view(0).panel().lines.empty());
  EXPECT_TRUE(pairs().view(0).panel().queries.empty());
  EXPECT_NEAR(matchAspect(pairs().view(0).panel()), 64.0 / 48 + 0.06 + 1, 1e-9);

  show(TokenQuantity::Matches, MatchedPatches::Query);
  ASSERT_EQ(pairs().view(0).panel().queries.size(), 1u);
  EXPECT_LE(pairs().view(0).panel().lines.size(), 1u);
  const QPointF corner = pairs().view(0).leftRect().topLeft();
  QTest::mouseClick(&pairs().view(0), Qt::LeftButton, Qt::NoModifier,
                    corner.toPoint() + QPoint(3, 3));
  // The click is drawn in the next pass of the event loop, which asks the worker.
  EXPECT_TRUE(QTest::qWaitFor(
      [this] { return pairs().view(0).panel().queries.front().place.x() < 0.2; }, test::patience));
  EXPECT_LT(window_->workspace().queries().query().x, 0.2);
}

TEST_F(TokensPageTest, SaysWhenAKeptPictureIsGone) {
  AnalysisSettings all = window_->workspace().analysis().settings();
  all.of<TokenSettings>().kept = {"/no/such/picture.png"};
  window_->workspace().analysis().set(all);
  settle();
  EXPECT_THAT(words(), HasSubstr("/no/such/picture.png"));
  button("Let go").click();
  settle();
  EXPECT_EQ(maps().count(), 1);
}

TEST_F(TokensPageTest, AKeptPictureIsShownAsItsFileIs) {
  button("Keep").click();
  openSecond();
  ASSERT_EQ(maps().count(), 2);
  const auto valuesOfKept = [this] {
    const Vector& values = maps().view(1).panel().values.patches;
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> before = valuesOfKept();
  QFile file(QString::fromStdString(first_));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray content = file.readAll();
  file.close();
  const auto shownAfter = [&](bool isThere) {
    page().showNow();
    settle();
    EXPECT_EQ(maps().isVisible(), isThere) << words();
    return maps().isVisible() ? valuesOfKept() : std::vector<float>();
  };
  QImage other(64, 64, QImage::Format_RGB888);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) other.setPixel(x, y, qRgb(4 * x, 255 - 4 * y, x * y % 255));
  }
  ASSERT_TRUE(other.save(file.fileName()));
  EXPECT_NE(shownAfter(true), before) << "another picture is in the file";
  ASSERT_TRUE(file.remove());
  shownAfter(false);
  EXPECT_THAT(words(), HasSubstr("A kept picture cannot be shown"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(content);
  file.close();
  EXPECT_EQ(shownAfter(true), before) << "it was put back";
}

TEST_F(TokensPageTest, ModelsWithoutTokensAreLeftOutAndNamed) {
  Workspace& workspace = window_->workspace();
  ModelRequest live;
  live.path = "live.pth";
  workspace.queue().openBeside(live, {.becomesCurrent = false, .keepsPicture = true});
  settle();
  ASSERT_EQ(workspace.models().all().size(), 2u);
  AnalysisSettings all = workspace.analysis().settings();
  all.setScope("tokens", {.allLayers = false, .allModels = true});
  workspace.analysis().set(all);
  settle();
  EXPECT_EQ(maps().count(), 1);
  EXPECT_THAT(words(), HasSubstr("left out: live: "));
  const std::optional<PageFigure> figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->models, ElementsAre(0u));
  workspace.models().setCurrent(1);
  all.setScope("tokens", {.allLayers = false, .allModels = false});
  workspace.analysis().set(all);
  settle();
  EXPECT_THAT(words(), HasSubstr("No tokens"));
  EXPECT_THAT(words(), HasSubstr("live: the network runs in a Python process"));
  EXPECT_FALSE(page().hasFigure());
}

TEST(KeptPictures, StayInWorkspaces) {
  WorkspaceState state;
  const QFileInfo picture(QString::fromStdString(test::writeTestPicture(8, 8, "kept.png")));
  const QString folder = picture.absolutePath();
  state.analysis.of<TokenSettings>().kept = {picture.filePath().toStdString(), "/b/cat.png"};
  state.analysis.of<TokenSettings>().lines = 12;
  const QByteArray text = workspaceText(state, folder);
  EXPECT_EQ(readWorkspace(text, folder + "/a.softscope").analysis, state.analysis);

  // The folder was moved, with the picture beside the workspace.
  QByteArray moved = text;
  moved.replace(picture.filePath().toUtf8(), "/gone/kept.png");
  EXPECT_EQ(readWorkspace(moved, folder + "/a.softscope").analysis, state.analysis);

  QByteArray damaged = text;
  damaged.replace("/b/cat.png", "");
  EXPECT_EQ(
      readWorkspace(damaged, folder + "/a.softscope").analysis.of<TokenSettings>().kept.size(), 1u);
}

TEST(TokenVectors, StayInWorkspaces) {
  const QTemporaryDir place;
  const std::string file = place.filePath(QStringLiteral("words.npy")).toStdString();
  writeNpy(file, {{1}, {1}});
  const QString folder = QFileInfo(QString::fromStdString(file)).absolutePath();
  WorkspaceState state;
  state.analysis.of<TokenSettings>().vectors = {file, "/b/more.npy"};
  state.analysis.of<TokenSettings>().compared = ComparedTokens::Features;
  const QByteArray text = workspaceText(state, folder);
  EXPECT_EQ(readWorkspace(text, folder + "/a.softscope").analysis, state.analysis);

  QByteArray moved = text;
  moved.replace(QByteArray::fromStdString(file), "/gone/words.npy");
  EXPECT_EQ(readWorkspace(moved, folder + "/a.softscope").analysis, state.analysis);

  state.analysis.of<TokenSettings>().vectors.assign(100, file);
  EXPECT_EQ(readWorkspace(workspaceText(state, folder), folder + "/a.softscope")
                .analysis.of<TokenSettings>()
                .vectors.size(),
            mostTokenVectors);
}

TEST_F(TokensPageTest, ItsCommandNamesTheModelsThatAreDrawn) {
  Workspace& workspace = window_->workspace();
  ModelRequest other;
  other.path = "other.pth";
  openSecond();
  workspace.queue().openBeside(
      other, {.becomesCurrent = false, .inputSize = InputSize{InputSize::Kind::Crop, 32, 32}});
  settle();
  ASSERT_EQ(workspace.models().all().size(), 2u);
  ASSERT_NE(workspace.models().all()[0].region, workspace.models().all()[1].region);
  AnalysisSettings all = workspace.analysis().settings();
  all.setScope("tokens", {.allLayers = false, .allModels = true});
  workspace.analysis().set(all);
  settle();
  ASSERT_EQ(maps().count(), 1) << "the other model sees another part";
  EXPECT_THAT(words(), HasSubstr("are left out"));
  const std::optional<PageFigure> figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->models, ElementsAre(0u));
  const std::string command =
      figure->command(figureSource(workspace, figure->models), FigureSettings(), "tokens.pdf");
  EXPECT_THAT(command, HasSubstr("--layer"));
  EXPECT_EQ(command.find("--layer"), command.rfind("--layer")) << command;
}

TEST_F(TokensPageTest, AKeptPictureStaysAsItWasRead) {
  button("Keep").click();
  settle();
  OpenedPicture& picture = window_->workspace().picture();
  PictureReading stretched;
  stretched.range = {SampleRange::Kind::Between, 20, 40};
  picture.setReading(stretched);
  settle();
  ASSERT_EQ(maps().count(), 2) << "the file read in another way is another picture";
  EXPECT_TRUE(button("Keep").isEnabled());
  const std::optional<PageFigure> figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_THROW(figure->command(figureSource(window_->workspace(), figure->models), FigureSettings(),
                               "tokens.pdf"),
               Error);
  button("Keep").click();
  settle();
  EXPECT_EQ(maps().count(), 2);
  ASSERT_EQ(settings().keptReadings.size(), 2u);
  EXPECT_EQ(settings().keptReadings[0], PictureReading());
  EXPECT_EQ(settings().keptReadings[1], stretched);
  button("Let go").click();
  settle();
  EXPECT_THAT(settings().keptReadings, IsEmpty());
}

TEST_F(TokensPageTest, AnOrientationThatAFileDoesNotSayMakesNoOtherPicture) {
  button("Keep").click();
  settle();
  OpenedPicture& picture = window_->workspace().picture();
  picture.setReading(asPublished);
  settle();
  EXPECT_EQ(maps().count(), 1) << "it is the kept picture";
  picture.open(QString::fromStdString(second_), asPublished);
  settle();
  ASSERT_EQ(maps().count(), 2);
  const std::optional<PageFigure> figure = page().figure();
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->command(figureSource(window_->workspace(), figure->models), FigureSettings(),
                              "tokens.pdf"),
              HasSubstr("first.png"));
}

/// Writes a TIFF of two grey pages with other pixels.
void writeTwoPages(const QString& path) {
  constexpr int side = 64;
  constexpr int entries = 9;
  constexpr int directory = 2 + 12 * entries + 4;
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  QDataStream stream(&file);
  stream.setByteOrder(QDataStream::LittleEndian);
  stream << quint16(0x4949) << quint16(42) << quint32(8);
  for (const int page : {0, 1}) {
    const int pixels = 8 + page * (directory + side * side) + directory;
    const int values[entries][2] = {{256, side}, {257, side}, {258, 8},
                                    {259, 1},    {262, 1},    {273, pixels},
                                    {277, 1},    {278, side}, {279, side * side}};
    stream << quint16(entries);
    for (const auto& [tag, value] : values) {
      stream << quint16(tag) << quint16(3) << quint32(1) << quint32(value);
    }
    stream << quint32(page == 0 ? pixels + side * side : 0);
    for (int i = 0; i < side * side; ++i) stream << quint8(4 * (page == 0 ? i % side : i / side));
  }
}

TEST_F(TokensPageTest, PagesOfOneFileAreToldApart) {
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("scan.tif"));
  writeTwoPages(path);
  OpenedPicture& picture = window_->workspace().picture();
  picture.open(path);
  settle();
  show(TokenQuantity::Components);
  button("Keep").click();
  settle();
  PictureReading second;
  second.page = 2;
  picture.setReading(second);
  settle();
  ASSERT_EQ(maps().count(), 2);
  EXPECT_EQ(maps().view(0).panel().title.toStdString(), "scan, page 2 · block1.0");
  EXPECT_EQ(maps().view(1).panel().title.toStdString(), "scan, page 1 · block1.0");
  EXPECT_THAT(words(), HasSubstr("fitted on scan, page 1"));
}

}  // namespace
}  // namespace softscope
