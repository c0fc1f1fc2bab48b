#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "core/analysis/AttentionSpread.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/ComparePage.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/OverviewPage.h"
#include "widgets/panels/MechanismQuestion.h"
#include "widgets/panels/PinStrip.h"
#include "widgets/views/CompareLineView.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/LayerHeadView.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtGui/QContextMenuEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

std::shared_ptr<const Model> openWithOpenHeads(const ModelRequest& request, const Progress&) {
  const auto model = test::syntheticModel(request);
  if (request.path.find("nonlocal") == std::string::npos) return model;
  // As a network of non-local blocks, whose weights tell no heads.
  ModelSummary summary = model->summary();
  const int heads = request.heads ? request.heads->last() : 4;
  summary.headsAlternatives = {heads};
  for (const int other : {1, 2, 4}) {
    if (other != heads) summary.headsAlternatives.push_back(other);
  }
  summary.headsConfidence = request.heads ? 1 : 0.6;
  summary.settings = {{.option = "heads",
                       .value = std::to_string(heads),
                       .source = request.heads ? "chosen with --heads" : "assumed",
                       .choices = {"1", "2", "4"},
                       .why = request.heads ? "" : "no weight tells them"}};
  return std::make_shared<Model>(summary, nullptr);
}

class PagesTest : public test::WindowFixture {
 protected:
  PagesTest() {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    for (const char* name : {"first.pth", "second.pth"}) {
      QFile file(folder_.filePath(QString::fromLatin1(name)));
      EXPECT_TRUE(file.open(QIODevice::WriteOnly));
      file.write(name);
      ModelRequest request;
      request.path = file.fileName().toStdString();
      options.models.push_back(request);
    }
    start(test::syntheticEngine(openWithOpenHeads), options, {1280, 800});
  }
  template <typename Widget>
  Widget& find() {
    return *window_->findChild<Widget*>();
  }
  void press(const QString& text) {
    for (auto* button : window_->findChildren<QPushButton*>()) {
      if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
    }
    settle();
  }

  /// Opens a file of that name as by the dialog.
  const OpenedModel& openFile(const QString& name) {
    QFile file(folder_.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(name.toUtf8());
    file.close();
    window_->files().openModelAt(file.fileName());
    settle();
    return *window_->workspace().models().current();
  }
  QComboBox& combo(const QString& accessibleName) {
    for (auto* box : window_->findChildren<QComboBox*>()) {
      if (box->accessibleName() == accessibleName) return *box;
    }
    throw std::runtime_error("no such box");
  }

  QTemporaryDir folder_;
};

TEST_F(PagesTest, ArrowKeysMoveTheQueryOfAComparison) {
  Workspace& workspace = window_->workspace();
  ASSERT_EQ(workspace.page(), QStringLiteral("compare"));
  workspace.queries().askPatch({2, 3});
  QTest::keyClick(find<ComparePage>().findChild<QScrollArea*>(), Qt::Key_Right);
  EXPECT_EQ(workspace.queries().token(), 2 * 8 + 4);
  QTest::keyClick(find<ComparePage>().findChild<QScrollArea*>(), Qt::Key_Up);
  EXPECT_EQ(workspace.queries().token(), 1 * 8 + 4);
}

TEST_F(PagesTest, EveryPanelIsAskedForItsMenu) {
  window_->workspace().setPage(QStringLiteral("heads"));
  settle();
  const HeadGrid& heads = *find<HeadsPage>().findChild<HeadGrid*>();
  ASSERT_GT(heads.count(), 0);
  const HeadPanel panel = heads.view(0).panel();
  const auto picture = heads.picture();
  int pages = 0;
  for (auto* page : window_->findChildren<Page*>()) {
    // The window's menu would wait for an answer.
    QObject::disconnect(page, &Page::panelMenuWanted, nullptr, nullptr);
    for (auto* grid : page->findChildren<HeadGrid*>()) {
      grid->setPanels({panel}, picture);
      QSignalSpy asked(page, &Page::panelMenuWanted);
      QContextMenuEvent event(QContextMenuEvent::Keyboard, {5, 5}, {5, 5});
      QApplication::sendEvent(&grid->view(0), &event);
      EXPECT_EQ(asked.count(), 1) << page->metaObject()->className();
      ++pages;
    }
  }
  EXPECT_GE(pages, 8) << "of the heads, and of analyses that draw maps";
}

TEST_F(PagesTest, AComparisonShowsAndSwitchesRowsAndColumns) {
  Workspace& workspace = window_->workspace();
  const auto half = [this](const QString& text) -> QToolButton& {
    for (auto* button : find<ComparePage>().findChildren<QToolButton*>()) {
      if (button->text() == text) return *button;
    }
    throw std::runtime_error("no such half");
  };
  EXPECT_TRUE(half(QStringLiteral("Attends to")).isChecked());
  half(QStringLiteral("Attended by")).click();
  settle();
  EXPECT_EQ(workspace.layers().direction(), Direction::Columns);
  workspace.layers().setDirection(Direction::Rows);
  settle();
  EXPECT_TRUE(half(QStringLiteral("Attends to")).isChecked());
  EXPECT_FALSE(half(QStringLiteral("Attended by")).isChecked());
}

TEST_F(PagesTest, EveryModelHasALineAndAClickInOneAsksAll) {
  ComparePage& page = find<ComparePage>();
  ASSERT_EQ(page.lineCount(), 2);
  HeadPanelView& panel = page.line(1).view(1);
  const QRectF image = panel.imageRect();
  QTest::mouseClick(&panel, Qt::LeftButton, {},
                    QPointF(image.left() + image.width() * 0.95, image.top() + 2).toPoint());
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().queries().token(), 7);
  for (int line = 0; line < 2; ++line) {
    const LayerInspection& layer =
        *window_->workspace().models().all()[static_cast<std::size_t>(line)].shownLayer();
    EXPECT_EQ(page.line(line).view(1).panel().values.patches, layer.attention->row(0, 7));
  }
}

TEST_F(PagesTest, PinnedQueriesStackAndTheirLettersLeadBackToThem) {
  PictureView& picture = find<PictureView>();
  const QRectF before = picture.pictureRect();
  QTest::mouseClick(&picture, Qt::LeftButton, Qt::ShiftModifier,
                    picture.placeOf({0.1, 0.1}).toPoint());
  QTest::mouseClick(&picture, Qt::LeftButton, Qt::ShiftModifier,
                    picture.placeOf({0.9, 0.9}).toPoint());
  QCoreApplication::processEvents();
  ASSERT_EQ(window_->workspace().queries().pins().size(), 2u);
  EXPECT_EQ(find<PinStrip>().count(), 2);
  EXPECT_EQ(find<ComparePage>().lineCount(), 2 * 3) << "two pins and the query that moves";
  EXPECT_TRUE(QTest::qWaitFor([&] { return picture.pictureRect() == before; }, test::patience))
      << "the letters take no room from the picture";
  QTest::mouseClick(&picture, Qt::LeftButton, {}, picture.placeOf({0.1, 0.1}).toPoint());
  EXPECT_EQ(window_->workspace().queries().query(), window_->workspace().queries().pins()[0]);
}

TEST_F(PagesTest, MeansStandInATableOfQueriesAndModelsWithThePictureOnceARow) {
  ComparePage& page = find<ComparePage>();
  window_->workspace().queries().pin({0.1, 0.1});
  Comparison comparison = window_->workspace().comparison().settings();
  comparison.onlyMean = true;
  window_->workspace().comparison().set(comparison);
  settle();
  ASSERT_EQ(page.lineCount(), 4) << "two queries of two models";
  const auto placeOf = [&](int line, int view) {
    HeadPanelView& panel = page.line(line).view(view);
    return QRect(panel.mapTo(&page, QPoint(0, 0)), panel.size());
  };
  EXPECT_EQ(placeOf(0, 1).top(), placeOf(1, 1).top()) << "models beside each other";
  EXPECT_LT(placeOf(0, 1).right(), placeOf(1, 1).left());
  EXPECT_EQ(placeOf(0, 1).left(), placeOf(2, 1).left()) << "queries below each other";
  EXPECT_LT(placeOf(0, 1).bottom(), placeOf(2, 1).top());
  for (const int line : {0, 2}) EXPECT_TRUE(page.line(line).view(0).isVisible());
  for (const int line : {1, 3}) EXPECT_FALSE(page.line(line).view(0).isVisible());
  EXPECT_LT(placeOf(0, 0).right(), placeOf(0, 1).left());
  comparison.onlyMean = false;
  window_->workspace().comparison().set(comparison);
  settle();
  for (int line = 0; line < 4; ++line) EXPECT_TRUE(page.line(line).view(0).isVisible());
}

TEST_F(PagesTest, ModelsAreRenamedEverywhere) {
  OpenModels& models = window_->workspace().models();
  models.rename(1, QStringLiteral(" ours "));
  settle();
  EXPECT_EQ(models.all()[1].name(), QStringLiteral("ours"));
  EXPECT_EQ(find<ComparePage>().line(1).accessibleName(), QStringLiteral("ours"));
  EXPECT_EQ(window_->workspace().state().models[1].givenName, QStringLiteral("ours"));
  const auto figure = find<ComparePage>().figure();
  FigureSource source;
  for (const OpenedModel& model : models.all()) {
    source.models.push_back({model.request, model.inputSize, model.givenName.toStdString()});
  }
  source.picture = window_->workspace().picture().get()->path;
  EXPECT_NE(figure->command(source, {}, "c.pdf").find("--name auto --name ours"),
            std::string::npos);
  models.rename(1, {});
  EXPECT_EQ(models.all()[1].name(), QStringLiteral("second"));
}

TEST_F(PagesTest, ClosingALineKeepsTheOthers) {
  ComparePage& page = find<ComparePage>();
  Q_EMIT page.line(0).closed();
  settle();
  EXPECT_EQ(page.lineCount(), 1);
  EXPECT_EQ(window_->workspace().models().current()->name(), QStringLiteral("second"));
}

TEST_F(PagesTest, DifferencesAreOneMinusTheOther) {
  Comparison comparison = window_->workspace().comparison().settings();
  comparison.difference = Comparison::Difference::Raw;
  window_->workspace().comparison().set(comparison);
  QCoreApplication::processEvents();
  ComparePage& page = find<ComparePage>();
  ASSERT_EQ(page.lineCount(), 3);
  EXPECT_TRUE(page.line(2).view(1).panel().values.patches.isZero()) << "of a model and itself";
}

TEST_F(PagesTest, TheOverviewHoldsEveryHeadsDistanceAndLeadsToItsLayer) {
  AnalysisSettings settings = window_->workspace().analysis().settings();
  settings.of<OverviewSettings>().numbers = true;
  window_->workspace().analysis().set(settings);
  window_->workspace().setPage(QStringLiteral("overview"));
  settle();
  LayerHeadView& view = find<OverviewPage>().view();
  const Inspection& inspection = *window_->workspace().models().current()->inspection;
  ASSERT_EQ(view.map().values.size(), inspection.layers.size());
  for (std::size_t layer = 0; layer < inspection.layers.size(); ++layer) {
    const AttentionMap& map = *inspection.layers[layer].attention;
    const auto& heads = view.map().values[layer];
    ASSERT_EQ(heads.size(), static_cast<std::size_t>(map.description().heads));
    for (std::size_t head = 0; head < heads.size(); ++head) {
      EXPECT_EQ(heads[head], attentionDistance(map, static_cast<int>(head), inspection.inputHeight,
                                               inspection.inputWidth));
    }
  }
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.centreOf(1, 2).toPoint());
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().models().current()->layer, "block2.0.attn");
  EXPECT_EQ(window_->workspace().page(), QStringLiteral("heads"));
}

TEST_F(PagesTest, TheMechanismIsAskedOnceForAFile) {
  MechanismQuestion& question = find<MechanismQuestion>();
  ASSERT_TRUE(question.isVisible()) << "nothing says what was trained";
  QComboBox& mechanisms = combo(QStringLiteral("Mechanism that was trained"));
  EXPECT_FALSE(combo(QStringLiteral("Number of heads that were trained")).isVisible())
      << "the heads are known";
  EXPECT_EQ(mechanisms.currentText(), QStringLiteral("SOFT"));
  EXPECT_EQ(mechanisms.findData(QStringLiteral("gaussian")), -1) << "never trained";
  mechanisms.setCurrentText(QStringLiteral("SOFT++"));
  press(QStringLiteral("Remember for this file"));
  EXPECT_FALSE(question.isVisible());
  EXPECT_EQ(window_->workspace().models().current()->summary().mechanism, "soft++");
  // The same file again, by a way that asks for nothing.
  QMimeData dropped;
  dropped.setUrls({QUrl::fromLocalFile(folder_.filePath(QStringLiteral("first.pth")))});
  window_->workspace().setPage(QStringLiteral("heads"));
  window_->files().open(dropped);
  settle();
  EXPECT_EQ(window_->workspace().models().current()->summary().mechanism, "soft++");
  EXPECT_FALSE(question.isVisible());
}

TEST_F(PagesTest, AnAnswerBegunOutlastsWhatHappensMeanwhile) {
  QComboBox& mechanisms = combo(QStringLiteral("Mechanism that was trained"));
  mechanisms.setCurrentText(QStringLiteral("SOFT++"));
  QComboBox& size = combo(QStringLiteral("Input size"));
  size.setFocus();
  size.lineEdit()->selectAll();
  QTest::keyClicks(size.lineEdit(), QStringLiteral("32"));
  window_->workspace().picture().open(
      QString::fromStdString(test::writeTestPicture(64, 64, "other.png")));
  settle();
  ASSERT_TRUE(find<MechanismQuestion>().isVisible());
  EXPECT_EQ(mechanisms.currentText(), QStringLiteral("SOFT++"));
  EXPECT_EQ(size.currentText(), QStringLiteral("32"));
  QTest::keyClick(size.lineEdit(), Qt::Key_Return);
  settle();
  EXPECT_EQ(window_->workspace().models().current()->inputSize,
            (InputSize{InputSize::Kind::Crop, 32, 32}));
}

TEST_F(PagesTest, HeadsAreAskedBesideTheMechanism) {
  openFile(QStringLiteral("nonlocal.pth"));
  ASSERT_TRUE(find<MechanismQuestion>().isVisible());
  QComboBox& mechanisms = combo(QStringLiteral("Mechanism that was trained"));
  QComboBox& heads = combo(QStringLiteral("Number of heads that were trained"));
  EXPECT_TRUE(mechanisms.isVisible());
  ASSERT_TRUE(heads.isVisible());
  EXPECT_EQ(heads.currentText(), QStringLiteral("4 heads")) << "the likelier";
  ASSERT_EQ(heads.count(), 3);
  EXPECT_EQ(heads.itemText(0), QStringLiteral("1 head"));
  mechanisms.setCurrentText(QStringLiteral("SOFT++"));
  heads.setCurrentIndex(1);
  press(QStringLiteral("Remember for this file"));
  EXPECT_FALSE(find<MechanismQuestion>().isVisible());
  EXPECT_EQ(window_->workspace().models().current()->request.attention, "soft++");
  EXPECT_EQ(window_->workspace().models().current()->request.heads, 2);

  openFile(QStringLiteral("other.pth"));
  const OpenedModel& again = openFile(QStringLiteral("nonlocal.pth"));
  EXPECT_EQ(again.request.attention, "soft++");
  EXPECT_EQ(again.request.heads, 2);
  EXPECT_FALSE(find<MechanismQuestion>().isVisible());
}

TEST_F(PagesTest, HeadsAreAskedAloneWhereTheMechanismIsKnown) {
  ModelRequest request = openFile(QStringLiteral("nonlocal alone.pth")).request;
  request.attention = "soft++";
  window_->workspace().queue().open(request);
  settle();
  ASSERT_TRUE(find<MechanismQuestion>().isVisible());
  EXPECT_FALSE(combo(QStringLiteral("Mechanism that was trained")).isVisible());
  press(QStringLiteral("Remember for this file"));
  EXPECT_EQ(window_->workspace().models().current()->request.attention, "soft++");
  EXPECT_EQ(window_->workspace().models().current()->request.heads, 4);
  EXPECT_FALSE(find<MechanismQuestion>().isVisible());
}

TEST_F(PagesTest, ThePanelChangesLandmarksWhereThereAreSome) {
  const auto choose = [this](QComboBox& box, const char* text) {
    box.setCurrentText(QString::fromLatin1(text));
    Q_EMIT box.activated(box.currentIndex());
    settle();
  };
  openFile(QStringLiteral("soft landmarks.pth"));
  QComboBox& landmarks = combo(QStringLiteral("Landmarks"));
  ASSERT_TRUE(landmarks.isVisible());
  EXPECT_EQ(landmarks.currentText(), QStringLiteral("trained"));
  choose(landmarks, "random");
  EXPECT_EQ(landmarks.currentText(), QStringLiteral("random"));
  EXPECT_EQ(window_->workspace().models().current()->request.landmarks,
            LandmarkChoice{LandmarkSource::Random});
  choose(combo(QStringLiteral("Mechanism")), "exact Gaussian kernel");
  EXPECT_FALSE(landmarks.isVisible());
  EXPECT_TRUE(window_->workspace().models().current()->request.landmarks.isTrained());
}

TEST_F(PagesTest, ThePanelKeepsTheNumberOfLandmarksUntilTheyAreAsTrained) {
  ModelRequest request = openFile(QStringLiteral("soft counted.pth")).request;
  request.landmarks = {LandmarkSource::Random, 16, 7};
  window_->workspace().queue().open(request);
  settle();
  QComboBox& landmarks = combo(QStringLiteral("Landmarks"));
  const auto choose = [&](const char* text) {
    landmarks.setCurrentText(QString::fromLatin1(text));
    Q_EMIT landmarks.activated(landmarks.currentIndex());
    settle();
    return window_->workspace().models().current()->request.landmarks;
  };
  EXPECT_EQ(choose("pooled"), (LandmarkChoice{LandmarkSource::Pooled, 16}));
  EXPECT_EQ(choose("trained"), LandmarkChoice());
}

TEST_F(PagesTest, ThePanelChangesHeadsThatNoWeightTells) {
  openFile(QStringLiteral("soft.pth"));
  QComboBox& heads = combo(QStringLiteral("Number of heads"));
  EXPECT_FALSE(heads.isEnabled());
  openFile(QStringLiteral("nonlocal panel.pth"));
  ASSERT_TRUE(heads.isEnabled());
  EXPECT_EQ(heads.currentText(), QStringLiteral("4"));
  heads.setCurrentIndex(heads.findText(QStringLiteral("1")));
  Q_EMIT heads.activated(heads.currentIndex());
  settle();
  EXPECT_EQ(window_->workspace().models().current()->request.heads, 1);
  EXPECT_EQ(heads.currentText(), QStringLiteral("1"));
}

}  // namespace
}  // namespace softscope
