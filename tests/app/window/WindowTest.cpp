#include "app/window/FigureExport.h"
#include "app/window/FileExchange.h"
#include "app/window/MainWindow.h"
#include "core/Error.h"
#include "core/query/AttentionValues.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/Controls.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/EmptyState.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/NormsPage.h"
#include "widgets/panels/LayerTree.h"
#include "widgets/panels/ModelPanel.h"
#include "widgets/panels/PredictionList.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QFocusEvent>
#include <QtGui/QKeyEvent>
#include <QtTest/QTest>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDockWidget>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QStatusBar>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace softscope {
namespace {

std::atomic<bool> slowToOpen = false;

std::shared_ptr<const Model> openWhenReady(const ModelRequest& request, const Progress& progress) {
  if (request.path == "bad.pth") {
    throw CheckpointError(request.path, "is not a checkpoint\nbyte 0 is not what it should be");
  }
  if (request.path == "large.pth" && request.device != "cpu") {
    throw GpuMemoryError("large.pth: the GPU has not enough free memory");
  }
  while (slowToOpen) {
    progress.report(0.1, "slowly");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (request.path != "live.pth") return test::syntheticModel(request);
  ModelSummary summary = test::syntheticModel(request)->summary();
  summary.isLive = true;
  return std::make_shared<Model>(summary, nullptr);
}

/// A picture and a model to begin with.
WindowOptions pictureAndModel() {
  WindowOptions options;
  options.bundledPicture = test::writeTestPicture(128, 64);
  options.bundledModel = "soft.pth";
  return options;
}

class WindowTest : public test::WindowFixture {
 protected:
  void SetUp() override { slowToOpen = false; }

  void open(WindowOptions options) {
    start(test::syntheticEngine(openWhenReady), std::move(options), {1000, 700});
  }
  void openBoth() {
    open(pictureAndModel());
    ASSERT_TRUE(window_->workspace().models().shownLayer());
  }
  template <typename Widget>
  Widget& find() {
    return *window_->findChild<Widget*>();
  }
  HeadGrid& heads() { return *find<HeadsPage>().findChild<HeadGrid*>(); }
  QPoint placeOf(double x, double y) { return find<PictureView>().placeOf({x, y}).toPoint(); }
  void click(double x, double y) {
    QTest::mouseClick(&find<PictureView>(), Qt::LeftButton, {}, placeOf(x, y));
    QCoreApplication::processEvents();
  }
  void trigger(const QString& key) {
    for (QAction* action : window_->findChildren<QAction*>()) {
      if (action->shortcuts().contains(QKeySequence(key))) action->trigger();
    }
    QCoreApplication::processEvents();
  }
  /// Every shown head equals the map's row, or its column.
  void expectShown(int token, bool rows = true) {
    const LayerInspection& layer = *window_->workspace().models().current()->shownLayer();
    const HeadGrid& grid = heads();
    ASSERT_EQ(grid.count(), layer.attention->description().heads + 1);
    for (int head = 0; head + 1 < grid.count(); ++head) {
      const Vector expected =
          rows ? layer.attention->row(head, token) : layer.attention->column(head, token);
      EXPECT_EQ(grid.displayedValues(head), expected) << "head " << head << " token " << token;
    }
  }
};

TEST_F(WindowTest, AClickShowsThatPatchesRow) {
  openBoth();
  click(0.95, 0.05);
  EXPECT_EQ(window_->workspace().queries().token(), 7);
  expectShown(7);
  click(0.05, 0.95);
  EXPECT_EQ(window_->workspace().queries().token(), 56);
  expectShown(56);
}

TEST_F(WindowTest, ADoubleClickEnlargesAHeadWithoutAskingAndEscLeavesIt) {
  openBoth();
  window_->workspace().queries().askPatch({2, 2});
  const PictureQuery before = window_->workspace().queries().query();
  HeadPanelView& panel = heads().view(1);
  const QPoint at = panel.imageRect().topLeft().toPoint() + QPoint(4, 4);
  QTest::mouseClick(&panel, Qt::LeftButton, {}, at);
  EXPECT_NE(window_->workspace().queries().query(), before) << "a single click asks";
  window_->workspace().queries().askPatch({2, 2});
  QTest::mousePress(&panel, Qt::LeftButton, {}, at);
  QTest::mouseRelease(&panel, Qt::LeftButton, {}, at);
  QTest::mouseDClick(&panel, Qt::LeftButton, {}, at);
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().view().onlyHead(), 1);
  EXPECT_EQ(window_->workspace().queries().query(), before);
  trigger(QStringLiteral("Esc"));
  EXPECT_FALSE(window_->workspace().view().onlyHead());
}

TEST_F(WindowTest, ADoubleClickBesideTheMapsTakesNoQueryBack) {
  openBoth();
  AskedQueries& queries = window_->workspace().queries();
  HeadPanelView& panel = heads().view(1);
  QTest::mouseClick(&panel, Qt::LeftButton, {}, panel.imageRect().center().toPoint());
  QTest::mouseClick(&panel, Qt::LeftButton, Qt::ShiftModifier,
                    panel.imageRect().topLeft().toPoint() + QPoint(4, 4));
  ASSERT_EQ(queries.pins().size(), 1u);
  const PictureQuery before = queries.query();
  const QPoint title(8, 4);
  ASSERT_FALSE(panel.imageRect().contains(title));
  QTest::mousePress(&panel, Qt::LeftButton, {}, title);
  QTest::mouseRelease(&panel, Qt::LeftButton, {}, title);
  QTest::mouseDClick(&panel, Qt::LeftButton, {}, title);
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().view().onlyHead(), 1);
  EXPECT_EQ(queries.query(), before);
  EXPECT_EQ(queries.pins().size(), 1u);
}

TEST_F(WindowTest, PinsAreMarkedInEveryHead) {
  openBoth();
  AskedQueries& queries = window_->workspace().queries();
  queries.askPatch({1, 1});
  queries.pin(queries.query());
  queries.askPatch({6, 5});
  QCoreApplication::processEvents();
  ASSERT_GT(heads().count(), 0);
  for (int i = 0; i < heads().count(); ++i) {
    const HeadPanel& panel = heads().view(i).panel();
    ASSERT_EQ(panel.pins.size(), 1u);
    EXPECT_EQ(panel.pins[0].letter, QStringLiteral("A"));
    EXPECT_NEAR(panel.pins[0].place.x(), 1.5 / 8, 1e-6);
    ASSERT_TRUE(panel.query);
    EXPECT_NEAR(panel.query->place.x(), 5.5 / 8, 1e-6);
  }
}

TEST_F(WindowTest, PixelsAreTheRowsColours) {
  openBoth();
  click(0.5, 0.95);
  ViewSettings view = window_->workspace().view().settings();
  view.opacity = 1;
  window_->workspace().view().set(view);
  QCoreApplication::processEvents();
  HeadPanelView& panel = heads().view(1);
  const QImage shown = panel.grab().toImage();
  const QRectF image = panel.imageRect();
  const HeadPanel& drawn = panel.panel();
  const Vector row = window_->workspace().models().current()->shownLayer()->attention->row(
      1, window_->workspace().queries().token());
  for (const Patch patch : {Patch{0, 0}, Patch{2, 6}, Patch{5, 1}}) {
    const QPoint centre(int(image.left() + (patch.column + 0.5) * image.width() / 8),
                        int(image.top() + (patch.row + 0.5) * image.height() / 8));
    const float value = row[patch.row * 8 + patch.column];
    const ColorMap::Color color = drawn.heat.colors->at(drawn.range.fraction(value));
    const QColor pixel = shown.pixelColor(centre);
    EXPECT_NEAR(pixel.red(), color[0], 3);
    EXPECT_NEAR(pixel.green(), color[1], 3);
    EXPECT_NEAR(pixel.blue(), color[2], 3);
  }
}

TEST_F(WindowTest, DraggingMovesTheQueryLiveAndIsOneStepBack) {
  openBoth();
  click(0.05, 0.05);
  PictureView& picture = find<PictureView>();
  QTest::mousePress(&picture, Qt::LeftButton, {}, placeOf(0.3, 0.3));
  for (const double at : {0.4, 0.6, 0.8, 0.95}) {
    const QPointF place = placeOf(at, at);
    QMouseEvent move(QEvent::MouseMove, place, picture.mapToGlobal(place), Qt::NoButton,
                     Qt::LeftButton, {});
    QApplication::sendEvent(&picture, &move);
    QCoreApplication::processEvents();
    expectShown(window_->workspace().queries().token());
  }
  QTest::mouseRelease(&picture, Qt::LeftButton, {}, placeOf(0.95, 0.95));
  EXPECT_EQ(window_->workspace().queries().token(), 63);
  trigger(QStringLiteral("Ctrl+Z"));
  EXPECT_EQ(window_->workspace().queries().token(), 0);
  expectShown(0);
  trigger(QStringLiteral("Ctrl+Shift+Z"));
  EXPECT_EQ(window_->workspace().queries().token(), 63);
}

TEST_F(WindowTest, ArrowKeysStepOnePatch) {
  openBoth();
  click(0.05, 0.05);
  PictureView& picture = find<PictureView>();
  QTest::keyClick(&picture, Qt::Key_Right);
  QTest::keyClick(&picture, Qt::Key_Down);
  QTest::keyClick(&picture, Qt::Key_Down);
  QTest::keyClick(&picture, Qt::Key_Left);
  QTest::keyClick(&picture, Qt::Key_Left);
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().queries().token(), 16);
  expectShown(16);
}

TEST_F(WindowTest, AClickOnAHeadAsksThere) {
  openBoth();
  HeadPanelView& panel = heads().view(0);
  const QRectF image = panel.imageRect();
  QTest::mouseClick(
      &panel, Qt::LeftButton, {},
      (image.topLeft() + QPointF(image.width() * 0.7, image.height() * 0.2)).toPoint());
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().queries().token(), 1 * 8 + 5);
  expectShown(13);
}

TEST_F(WindowTest, RowsTurnIntoColumns) {
  openBoth();
  click(0.7, 0.2);
  const int token = window_->workspace().queries().token();
  trigger(QStringLiteral("R"));
  expectShown(token, false);
  trigger(QStringLiteral("R"));
  expectShown(token);
}

TEST_F(WindowTest, HoveringReadsTheValue) {
  openBoth();
  click(0.05, 0.05);
  HeadPanelView& panel = heads().view(1);
  const QRectF image = panel.imageRect();
  QTest::mouseMove(&panel,
                   (image.center() + QPointF(image.width() / 16, image.height() / 16)).toPoint());
  QCoreApplication::processEvents();
  const float value =
      window_->workspace().models().current()->shownLayer()->attention->row(1, 0)[36];
  EXPECT_EQ(window_->statusBar()->findChild<ElidedLabel*>()->text(),
            QStringLiteral("head 1, key (4, 4): %1").arg(double(value), 0, 'f', 3));

  window_->workspace().queries().askPatch({2, 2});
  QCoreApplication::processEvents();
  const float other =
      window_->workspace().models().current()->shownLayer()->attention->row(1, 18)[36];
  EXPECT_EQ(window_->statusBar()->findChild<ElidedLabel*>()->text(),
            QStringLiteral("head 1, key (4, 4): %1").arg(double(other), 0, 'f', 3))
      << "the pointer rests, and the values change under it";
}

TEST_F(WindowTest, ALongReadOutDoesNotWidenTheWindow) {
  openBoth();
  const QSize before = window_->size();
  const QSize smallest = window_->minimumSizeHint();
  Q_EMIT find<HeadsPage>().readOut(QString(400, u'x'));
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->size(), before);
  EXPECT_EQ(window_->minimumSizeHint(), smallest);
}

TEST_F(WindowTest, ManyPinsDoNotWidenTheWindow) {
  openBoth();
  const QSize smallest = window_->minimumSizeHint();
  for (int i = 0; i < 26; ++i) window_->workspace().queries().pin({0.03 * i, 0.5});
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->workspace().queries().pins().size(), 26u);
  EXPECT_EQ(window_->minimumSizeHint().width(), smallest.width());
}

TEST_F(WindowTest, ASweepCanBeChosenAfterAListThatIsNone) {
  openBoth();
  window_->workspace().setPage(QStringLiteral("norms"));
  settle();
  auto& page = find<NormsPage>();
  auto& sizes = *page.findChild<QLineEdit*>();
  auto& choice = *page.findChild<QComboBox*>();
  const auto choose = [&](int index) {
    choice.setCurrentIndex(index);
    Q_EMIT choice.activated(index);
    settle();
  };
  choose(1);
  EXPECT_TRUE(sizes.isVisible());
  const std::vector<int> usual =
      window_->workspace().analysis().settings().of<NormsSettings>().sizes;
  EXPECT_GE(usual.size(), 2u);
  sizes.setText(QStringLiteral("128"));
  Q_EMIT sizes.editingFinished();
  settle();
  EXPECT_EQ(window_->workspace().analysis().settings().of<NormsSettings>().sizes, usual)
      << "one side is no sweep";
  QString told;
  QObject::connect(&page, &Page::readOut, &page, [&told](const QString& text) { told = text; });
  for (const char* text : {"128x192, 256", "128×192, 256×256", "128, 256, full"}) {
    told.clear();
    sizes.setText(QString::fromUtf8(text));
    Q_EMIT sizes.editingFinished();
    settle();
    EXPECT_EQ(window_->workspace().analysis().settings().of<NormsSettings>().sizes, usual) << text;
    EXPECT_TRUE(told.startsWith(QStringLiteral("A sweep needs two sides"))) << text;
  }
  choose(0);
  EXPECT_TRUE(window_->workspace().analysis().settings().of<NormsSettings>().sizes.empty());
  choose(1);
  EXPECT_TRUE(sizes.isVisible());
  EXPECT_EQ(window_->workspace().analysis().settings().of<NormsSettings>().sizes, usual);
}

TEST_F(WindowTest, ASweepLeavesOutModelsThatCannotBeSwept) {
  openBoth();
  Workspace& workspace = window_->workspace();
  ModelRequest live;
  live.path = "live.pth";
  workspace.queue().openBeside(live, {.becomesCurrent = false, .keepsPicture = true});
  settle();
  ASSERT_EQ(workspace.models().all().size(), 2u);
  AnalysisSettings settings = workspace.analysis().settings();
  settings.setScope("norms", {.allLayers = false, .allModels = true});
  settings.of<NormsSettings>().sizes = {64, 128};
  workspace.analysis().set(settings);
  workspace.setPage(QStringLiteral("norms"));
  settle();
  const auto words = [this] {
    QString text;
    for (const QLabel* label : find<NormsPage>().findChildren<QLabel*>()) {
      if (label->isVisible()) text += label->text() + u'\n';
    }
    return text;
  };
  EXPECT_FALSE(words().contains(QStringLiteral("No sweep of sizes"))) << words().toStdString();
  workspace.models().setCurrent(1);
  settings.setScope("norms", {.allLayers = false, .allModels = false});
  workspace.analysis().set(settings);
  settle();
  EXPECT_TRUE(words().contains(QStringLiteral("No sweep of sizes"))) << words().toStdString();
  EXPECT_TRUE(words().contains(QStringLiteral("live: the network runs in a Python process")))
      << words().toStdString();
}

TEST_F(WindowTest, TheHoveredPatchFollowsTheLayersGrid) {
  openBoth();
  window_->workspace().layers().choose("block1.0.attn");
  QTest::mouseMove(&find<PictureView>(), placeOf(0.95, 0.95));
  QCoreApplication::processEvents();
  EXPECT_EQ(window_->statusBar()->findChild<ElidedLabel*>()->text(),
            QStringLiteral("patch (7, 7)"));
  window_->workspace().layers().choose("block2.0.attn");
  EXPECT_EQ(window_->statusBar()->findChild<ElidedLabel*>()->text(),
            QStringLiteral("patch (3, 3)"));
}

TEST_F(WindowTest, ThePictureTakesTheHeightItNeedsAndPredictionsTheRest) {
  openBoth();
  window_->findChild<QAction*>(QStringLiteral("resetLayout"))->trigger();
  settle();
  const auto* picture = window_->findChild<QDockWidget*>(QStringLiteral("picture"));
  const auto emptyBelow = [&] {
    QCoreApplication::processEvents();
    const QRectF shown = find<PictureView>().pictureRect();
    return find<PictureView>().height() - shown.bottom();
  };
  EXPECT_LT(emptyBelow(), 40);
  EXPECT_EQ(find<PredictionList>().shownLines(), 6) << "all that there are";
  // A tall picture gets more, while five predictions stay.
  window_->workspace().picture().open(QString::fromStdString(test::writeTestPicture(64, 128)));
  settle();
  EXPECT_LT(emptyBelow(), 40);
  EXPECT_GE(find<PredictionList>().shownLines(), 5);
  // A height that the user has dragged stays.
  const QPoint edge = picture->geometry().bottomLeft() + QPoint(picture->width() / 2, 2);
  QTest::mousePress(window_->windowHandle(), Qt::LeftButton, {}, edge);
  QTest::mouseMove(window_->windowHandle(), edge - QPoint(0, 10));
  QTest::mouseMove(window_->windowHandle(), edge - QPoint(0, 60));
  QTest::qWait(50);
  QTest::mouseRelease(window_->windowHandle(), Qt::LeftButton, {}, edge - QPoint(0, 60));
  QCoreApplication::processEvents();
  const int dragged = picture->height();
  window_->workspace().picture().open(QString::fromStdString(test::writeTestPicture(128, 64)));
  settle();
  EXPECT_EQ(picture->height(), dragged);
}

TEST_F(WindowTest, LayersAndPredictionsAreListed) {
  openBoth();
  EXPECT_EQ(find<LayerTree>().topLevelItemCount(), 3);
  ASSERT_GE(find<PredictionList>().shownLines(), 5);
  EXPECT_EQ(find<PredictionList>().lines()[0].name, QStringLiteral("tiger cat"));
  EXPECT_EQ(find<PredictionList>().lines()[1].name, QStringLiteral("class 5"));
  trigger(QStringLiteral("]"));
  EXPECT_EQ(window_->workspace().models().current()->layer, "block2.0.attn");
  expectShown(window_->workspace().queries().token());
  trigger(QStringLiteral("["));
  EXPECT_EQ(window_->workspace().models().current()->layer, "block1.0.attn");
}

TEST_F(WindowTest, WhatIsTooLargeForAGpuIsOfferedTheCpu) {
  openBoth();
  const QAbstractButton* offer = nullptr;
  for (const QAbstractButton* button : find<ErrorBanner>().findChildren<QAbstractButton*>()) {
    if (button->accessibleName() == QStringLiteral("What can be done about it")) offer = button;
  }
  ModelRequest request;
  request.path = "large.pth";
  request.device = "cuda:0";
  window_->workspace().queue().open(request);
  settle();
  EXPECT_EQ(window_->workspace().models().current()->request.path, "soft.pth");
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("enough free memory")));
  ASSERT_TRUE(offer->isVisible());
  EXPECT_EQ(offer->text(), QStringLiteral("Run on the CPU"));
  QTest::mouseClick(const_cast<QAbstractButton*>(offer), Qt::LeftButton);
  settle();
  EXPECT_FALSE(find<ErrorBanner>().isVisible());
  ASSERT_EQ(window_->workspace().models().all().size(), 1u);
  const OpenedModel* opened = window_->workspace().models().current();
  EXPECT_EQ(opened->request.path, "large.pth");
  EXPECT_EQ(opened->request.device, "cpu");
  EXPECT_TRUE(opened->shownLayer());
}

TEST_F(WindowTest, AFailingOpenerIsABannerAndNothingElse) {
  openBoth();
  ModelRequest request;
  request.path = "bad.pth";
  window_->workspace().queue().open(request);
  settle();
  ErrorBanner& banner = find<ErrorBanner>();
  EXPECT_TRUE(banner.isVisible());
  EXPECT_EQ(banner.message(), QStringLiteral("bad.pth: is not a checkpoint"));
  EXPECT_TRUE(window_->workspace().models().shownLayer());
  trigger(QStringLiteral("Esc"));
  EXPECT_FALSE(banner.isVisible());
}

TEST_F(WindowTest, CancelFreesTheWindow) {
  openBoth();
  slowToOpen = true;
  window_->workspace().queue().setAttention("soft++");
  QTest::qWait(30);
  EXPECT_TRUE(window_->workspace().worker().isBusy());
  const auto before = std::chrono::steady_clock::now();
  trigger(QStringLiteral("Esc"));
  EXPECT_FALSE(window_->workspace().worker().isBusy());
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(100));
  EXPECT_EQ(window_->workspace().models().current()->summary().mechanism, "soft");
  slowToOpen = false;
}

TEST_F(WindowTest, EmptyStatesSayWhatToDo) {
  open({});
  EXPECT_TRUE(find<EmptyState>().isVisible());
  EXPECT_EQ(find<EmptyState>().title(), QStringLiteral("Nothing is open"));
  ModelRequest request;
  request.path = "soft.pth";
  window_->workspace().queue().open(request);
  settle();
  EXPECT_TRUE(find<EmptyState>().isVisible());
  window_->workspace().picture().open(QString::fromStdString(test::writeTestPicture(40, 40)));
  settle();
  EXPECT_FALSE(find<EmptyState>().isVisible());
}

TEST_F(WindowTest, FirstQueryAndLayerComeFromTheOptions) {
  WindowOptions options = pictureAndModel();
  options.layer = "block2.0.attn";
  options.patch = Patch{3, 1};
  open(options);
  EXPECT_EQ(window_->workspace().queries().token(), 13);
  expectShown(13);
  EXPECT_FALSE(find<ErrorBanner>().isVisible());
}

TEST_F(WindowTest, OptionsThatTheModelHasNothingForAreTold) {
  WindowOptions options = pictureAndModel();
  options.layer = "block9.0.attn";
  open(options);
  EXPECT_TRUE(find<ErrorBanner>().isVisible());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("no layer block9.0.attn")));
  options.layer.clear();
  options.patch = Patch{3, 99};
  open(options);
  EXPECT_TRUE(find<ErrorBanner>().isVisible());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("3,99")));
}

TEST_F(WindowTest, AFrameShowsThatKeysCameToTheHeads) {
  openBoth();
  const auto edgeAfter = [this](Qt::FocusReason reason) {
    QFocusEvent focus(QEvent::FocusIn, reason);
    QCoreApplication::sendEvent(&heads(), &focus);
    const QImage image = heads().grab().toImage();
    return image.pixelColor(image.width() / 2, 0);
  };
  const QColor highlight = heads().palette().color(QPalette::Highlight);
  EXPECT_NE(edgeAfter(Qt::MouseFocusReason), highlight);
  EXPECT_EQ(edgeAfter(Qt::TabFocusReason), highlight);
}

TEST_F(WindowTest, ASizeThatIsNoneIsTold) {
  openBoth();
  QLineEdit* edit = nullptr;
  for (const auto* box : find<ModelPanel>().findChildren<QComboBox*>()) {
    if (box->isEditable()) edit = box->lineEdit();
  }
  ASSERT_NE(edit, nullptr);
  const QString before = edit->text();
  edit->selectAll();
  QTest::keyClicks(edit, QStringLiteral("banana"));
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(edit->text(), before);
  EXPECT_TRUE(find<ErrorBanner>().isVisible());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("banana")));
}

TEST_F(WindowTest, SummariesAndResolutionComeFromTheOptions) {
  WindowOptions options = pictureAndModel();
  options.overHeads = {.mean = false, .largest = true};
  options.dpi = 72;
  open(options);
  const HeadGrid& grid = heads();
  ASSERT_EQ(grid.count(), 3);
  EXPECT_EQ(grid.view(2).panel().title, QStringLiteral("largest"));
  trigger(QStringLiteral("Ctrl+Shift+C"));
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral(" --dpi 72 ")))
      << QGuiApplication::clipboard()->text().toStdString();
  window_->close();
  EXPECT_EQ(readWindowSettings().figure.dpi, FigureSettings().dpi) << "for that run alone";
  options.dpi.reset();
  options.overHeads = OverHeads();
  open(options);
  window_->close();
}

TEST_F(WindowTest, PanelsAreAsWideAsTheyWereLeft) {
  const auto widths = [this] {
    std::vector<int> found;
    for (const char* name : {"picture", "layers"}) {
      found.push_back(window_->findChild<QDockWidget*>(QLatin1String(name))->width());
    }
    return found;
  };
  openBoth();
  window_->resize(800, 600);
  settle();
  auto* picture = window_->findChild<QDockWidget*>(QStringLiteral("picture"));
  window_->resizeDocks({picture}, {picture->width() + 17}, Qt::Horizontal);
  settle();
  const std::vector<int> left = widths();
  window_->close();
  start(test::syntheticEngine(openWhenReady), pictureAndModel());
  EXPECT_EQ(window_->size(), QSize(800, 600));
  EXPECT_EQ(widths(), left);
}

TEST_F(WindowTest, ADoubleClickShowsAHeadAloneAndAllAgain) {
  openBoth();
  const int all = heads().count();
  ASSERT_GT(all, 1);
  HeadPanelView& second = heads().view(1);
  const Vector values = second.panel().values.patches;
  QTest::mouseDClick(&second, Qt::LeftButton, {}, second.imageRect().center().toPoint());
  QCoreApplication::processEvents();
  ASSERT_EQ(heads().count(), 1);
  EXPECT_EQ(heads().view(0).panel().title, QStringLiteral("head 1"));
  EXPECT_EQ(window_->workspace().view().onlyHead(), 1);
  trigger(QStringLiteral("Ctrl+Shift+C"));
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral(" --head 1 ")))
      << QGuiApplication::clipboard()->text().toStdString();
  QTest::mouseDClick(&heads().view(0), Qt::LeftButton, {},
                     heads().view(0).imageRect().center().toPoint());
  QCoreApplication::processEvents();
  EXPECT_EQ(heads().count(), all);
}

TEST_F(WindowTest, KeysWalkThroughHeadsAlone) {
  openBoth();
  const int all = heads().count();
  const int last =
      window_->workspace().models().current()->shownLayer()->attention->description().heads - 1;
  trigger(QStringLiteral("."));
  EXPECT_EQ(window_->workspace().view().onlyHead(), 0);
  trigger(QStringLiteral(","));
  EXPECT_FALSE(window_->workspace().view().onlyHead());
  trigger(QStringLiteral(","));
  EXPECT_EQ(window_->workspace().view().onlyHead(), last);
  EXPECT_EQ(heads().count(), 1);
  trigger(QStringLiteral("A"));
  EXPECT_EQ(heads().count(), all);
}

TEST_F(WindowTest, ResizesFromSmallToLarge) {
  openBoth();
  for (const QSize size : {QSize(400, 300), QSize(800, 600), QSize(1600, 1000), QSize(640, 900)}) {
    window_->resize(size);
    QCoreApplication::processEvents();
    window_->grab();
  }
  expectShown(window_->workspace().queries().token());
}

TEST_F(WindowTest, PanelsGiveWayToPagesInAWindowThatIsMadeSmall) {
  openBoth();
  const auto panel = [this](const char* name) {
    return window_->findChild<QDockWidget*>(QLatin1String(name));
  };
  const auto resizeTo = [this](int width, int height) {
    window_->resize(width, height);
    settle();
  };
  resizeTo(1400, 1000);
  EXPECT_TRUE(window_->tabifiedDockWidgets(panel("layers")).isEmpty());
  resizeTo(800, 600);
  EXPECT_LE(panel("picture")->width(), 800 * 25 / 100);
  EXPECT_EQ(window_->tabifiedDockWidgets(panel("layers")).size(), 2);
  resizeTo(1400, 1000);
  EXPECT_EQ(panel("picture")->width(), 1400 * 28 / 100);
  EXPECT_TRUE(window_->tabifiedDockWidgets(panel("layers")).isEmpty());
}

TEST_F(WindowTest, PanelsThatWereMovedByHandStayWhenTheWindowIsMadeSmall) {
  openBoth();
  window_->resize(1400, 1000);
  settle();
  auto* model = window_->findChild<QDockWidget*>(QStringLiteral("model"));
  window_->addDockWidget(Qt::LeftDockWidgetArea, model);
  window_->resize(800, 600);
  settle();
  EXPECT_EQ(window_->dockWidgetArea(model), Qt::LeftDockWidgetArea);
  EXPECT_TRUE(window_->tabifiedDockWidgets(model).isEmpty());
}

TEST_F(WindowTest, ExportsWhatItShows) {
  openBoth();
  const QTemporaryDir folder;
  for (const char* name : {"heads.png", "heads.svg", "heads.pdf"}) {
    EXPECT_TRUE(window_->figures().save(folder.filePath(QLatin1String(name)), {}));
    EXPECT_TRUE(QFile::exists(folder.filePath(QLatin1String(name)))) << name;
  }
  EXPECT_FALSE(window_->figures().save(folder.filePath(QStringLiteral("heads.gif")), {}));
  EXPECT_TRUE(find<ErrorBanner>().isVisible());
}

TEST_F(WindowTest, DoesNotExportOntoWhatIsOpen) {
  openBoth();
  const QTemporaryDir folder;
  const QString picture = QString::fromStdString(window_->workspace().picture().get()->path);
  const QString link = folder.filePath(QStringLiteral("link.png"));
  const QString numbers = folder.filePath(QStringLiteral("numbers.npz"));
  ASSERT_TRUE(QFile::link(picture, link));
  ASSERT_TRUE(QFile::link(picture, numbers));
  const auto content = [&] {
    QFile file(picture);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
  };
  const QByteArray before = content();
  EXPECT_FALSE(window_->figures().save(picture, {}));
  EXPECT_FALSE(window_->figures().save(link, {}));
  EXPECT_FALSE(window_->figures().saveNumbers(numbers));
  EXPECT_TRUE(find<ErrorBanner>().isVisible());
  EXPECT_EQ(content(), before);
}

TEST_F(WindowTest, EveryControlHasAnAccessibleName) {
  openBoth();
  const auto controls = test::controlsBelow(*window_);
  ASSERT_GE(controls.size(), 20u);
  for (const QWidget* control : controls) {
    EXPECT_FALSE(control->accessibleName().isEmpty())
        << control->metaObject()->className() << " in "
        << control->parentWidget()->metaObject()->className();
  }
}

TEST_F(WindowTest, TheLargestOverHeadsStandsAfterTheMean) {
  openBoth();
  QCheckBox* largest = nullptr;
  for (auto* box : window_->findChildren<QCheckBox*>()) {
    if (box->accessibleName() == QStringLiteral("Largest of heads")) largest = box;
  }
  ASSERT_TRUE(largest);
  EXPECT_FALSE(largest->isChecked());
  largest->click();
  QCoreApplication::processEvents();
  const AttentionMap& map = *window_->workspace().models().current()->shownLayer()->attention;
  const HeadGrid& grid = heads();
  ASSERT_EQ(grid.count(), map.description().heads + 2);
  std::vector<Vector> heads;
  for (int head = 0; head < map.description().heads; ++head) {
    heads.push_back(map.row(head, window_->workspace().queries().token()));
  }
  EXPECT_EQ(grid.displayedValues(grid.count() - 1), largestOverHeads(heads));
  window_->close();
  openBoth();
  EXPECT_TRUE(window_->workspace().view().overHeads().largest) << "remembered";
  window_->workspace().view().setOverHeads({});
  window_->close();
}

TEST_F(WindowTest, RemembersViewAndLayout) {
  openBoth();
  ViewSettings view = window_->workspace().view().settings();
  view.colorMap = "viridis";
  view.opacity = 0.25;
  window_->workspace().view().set(view);
  window_->close();
  openBoth();
  EXPECT_EQ(window_->workspace().view().settings().colorMap, "viridis");
  EXPECT_DOUBLE_EQ(window_->workspace().view().settings().opacity, 0.25);
}

TEST_F(WindowTest, AFileThatTheFolderOfAModelGetsLaterKeepsNoCommandBack) {
  const QTemporaryDir folder;
  const QString made = QString::fromStdString(test::writeTestPicture(64, 64, "made.png"));
  ASSERT_TRUE(QFile::copy(made, folder.filePath(QStringLiteral("weights.png"))));
  WindowOptions options;
  options.picturePath = made.toStdString();
  ModelRequest request;
  request.path = folder.path().toStdString();
  options.models.push_back(request);
  open(options);
  ASSERT_TRUE(QFile::copy(made, folder.filePath(QStringLiteral("notes.png"))));
  QGuiApplication::clipboard()->setText(QString());
  trigger(QStringLiteral("Ctrl+Shift+C"));
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(folder.path()))
      << find<ErrorBanner>().message().toStdString();
}

TEST_F(WindowTest, ACommandThatWouldReadOtherFilesIsNotCopied) {
  const QTemporaryDir folder;
  const auto copied = [&folder](const char* name, int width) {
    const QString path = folder.filePath(QLatin1String(name));
    QFile::remove(path);
    const std::string made = test::writeTestPicture(width, 64, "made.png");
    EXPECT_TRUE(QFile::copy(QString::fromStdString(made), path));
    return path.toStdString();
  };
  WindowOptions options;
  options.picturePath = copied("picture.png", 128);
  ModelRequest request;
  request.path = copied("model.png", 128);
  options.models.push_back(request);
  open(options);
  const auto command = [this] {
    QGuiApplication::clipboard()->setText(QString());
    trigger(QStringLiteral("Ctrl+Shift+C"));
    return QGuiApplication::clipboard()->text();
  };
  EXPECT_TRUE(command().contains(QStringLiteral("picture.png")));
  copied("model.png", 96);
  EXPECT_EQ(command(), QString());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("model.png")));
  copied("model.png", 128);
  EXPECT_TRUE(command().contains(QStringLiteral("model.png"))) << "its content is as it was";
  copied("picture.png", 96);
  EXPECT_EQ(command(), QString());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("picture.png")));
  QFile::remove(folder.filePath(QStringLiteral("picture.png")));
  EXPECT_EQ(command(), QString());
  EXPECT_TRUE(find<ErrorBanner>().message().contains(QStringLiteral("no longer there")));
}

TEST_F(WindowTest, CopyingWhereThereIsNothingToCopySaysSo) {
  openBoth();
  const auto say = [this] { return window_->statusBar()->currentMessage(); };
  trigger(QStringLiteral("Ctrl+Shift+C"));
  ASSERT_TRUE(say().startsWith(QStringLiteral("Copied the command")));
  for (const char* page : {"models", "survey"}) {
    window_->workspace().setPage(QLatin1String(page));
    settle();
    for (const char* keys : {"Ctrl+C", "Ctrl+Shift+C", "Ctrl+Alt+C"}) {
      window_->statusBar()->clearMessage();
      trigger(QLatin1String(keys));
      EXPECT_TRUE(say().startsWith(QStringLiteral("Nothing is copied"))) << page << " " << keys;
    }
  }
}

TEST_F(WindowTest, ReturnAndEscapeGiveTheKeysOfAFieldToThePage) {
  openBoth();
  QLineEdit* edit = nullptr;
  for (const auto* box : find<ModelPanel>().findChildren<QComboBox*>()) {
    if (box->isEditable()) edit = box->lineEdit();
  }
  ASSERT_NE(edit, nullptr);
  QWidget* const field = edit->parentWidget();
  const QString before = edit->text();
  const auto type = [&](const QString& text, Qt::Key last) {
    field->setFocus();
    edit->selectAll();
    QTest::keyClicks(field, text);
    EXPECT_EQ(window_->focusWidget(), field);
    QTest::keyClick(field, last);
    settle();
  };
  type(QStringLiteral("100"), Qt::Key_Escape);
  EXPECT_EQ(edit->text(), before);
  EXPECT_NE(window_->focusWidget(), field);
  type(QStringLiteral("128"), Qt::Key_Return);
  EXPECT_EQ(edit->text(), QStringLiteral("128"));
  EXPECT_NE(window_->focusWidget(), field);
}

/// Lines of text take Ctrl+E for themselves, to go to their ends.
TEST_F(WindowTest, KeysOfActionsActInFieldsAsWell) {
  openBoth();
  QComboBox* field = nullptr;
  for (auto* box : find<ModelPanel>().findChildren<QComboBox*>()) {
    if (box->isEditable()) field = box;
  }
  ASSERT_NE(field, nullptr);
  const auto isTakenByField = [field](Qt::Key key) {
    QKeyEvent keys(QEvent::ShortcutOverride, key, Qt::ControlModifier);
    keys.ignore();
    QCoreApplication::sendEvent(field, &keys);
    return keys.isAccepted();
  };
  EXPECT_FALSE(isTakenByField(Qt::Key_E));
  EXPECT_TRUE(isTakenByField(Qt::Key_A)) << "it selects all of the text";
}

TEST_F(WindowTest, OffersTheFormatOfTheFigureBefore) {
  openBoth();
  const QTemporaryDir folder;
  const auto copied = [this] {
    trigger(QStringLiteral("Ctrl+Shift+C"));
    return QGuiApplication::clipboard()->text();
  };
  EXPECT_TRUE(copied().contains(QStringLiteral(".pdf")));
  EXPECT_TRUE(window_->figures().save(folder.filePath(QStringLiteral("a.png")), {}));
  const QString after = copied();
  EXPECT_TRUE(after.contains(QStringLiteral(".png")));
  EXPECT_FALSE(after.contains(QStringLiteral(".pdf")));
}

}  // namespace
}  // namespace softscope
