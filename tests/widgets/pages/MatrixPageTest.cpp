#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "core/array/Npz.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/MatrixPage.h"
#include "widgets/settings/AnalysisFile.h"
#include "widgets/views/MatrixBoard.h"
#include "widgets/views/PictureView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/Choices.h"
#include "widgets/workspace/ShownLayers.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QTemporaryDir>
#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class MatrixPageTest : public test::WindowFixture {
 protected:
  MatrixPageTest() {
    start(test::syntheticEngine(), test::syntheticContent({"soft.pth", "soft.pth"}), {1280, 800});
    workspace().setPage(QStringLiteral("matrix"));
    settle();
  }
  Workspace& workspace() { return window_->workspace(); }
  MatrixPage& page() { return *window_->findChild<MatrixPage*>(); }
  MatrixView& view(int index) { return page().matrices().view(index); }
  PictureView& picture() { return *window_->findChild<PictureView*>(); }
  void turnWheel(MatrixView& on, const QPointF& place, int notches) {
    QWheelEvent event(place, on.mapToGlobal(place), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&on, &event);
    settle();
  }
  void press(const char* name) {
    for (auto* button : page().findChildren<QAbstractButton*>()) {
      if (button->accessibleName() == QLatin1String(name)) button->click();
    }
    settle();
  }

  QTemporaryDir folder_;
};

TEST_F(MatrixPageTest, ShowsTheChosenHeadEntryByEntry) {
  ASSERT_EQ(page().matrices().count(), 1);
  const MatrixPanel& panel = view(0).panel();
  EXPECT_EQ(panel.queries, 64);
  ASSERT_TRUE(panel.detail.values);
  EXPECT_EQ((*panel.detail.values)(3, 5), test::syntheticValue(0, 3, 5));
  EXPECT_TRUE(panel.note.startsWith(QStringLiteral("line 0")));
  auto& head = *page().findChild<QComboBox*>();
  head.setCurrentIndex(1);
  Q_EMIT head.activated(1);
  settle();
  EXPECT_EQ((*view(0).panel().detail.values)(3, 5), test::syntheticValue(1, 3, 5));
}

TEST_F(MatrixPageTest, AllHeadsAndAllModelsStandBesideEachOther) {
  press("All heads");
  EXPECT_EQ(page().matrices().count(), 2);
  EXPECT_EQ(view(1).panel().title, QStringLiteral("head 1"));
  AnalysisSettings settings = workspace().analysis().settings();
  settings.setScope("matrix", {.allLayers = false, .allModels = true});
  workspace().analysis().set(settings);
  settle();
  ASSERT_EQ(page().matrices().count(), 4);
  EXPECT_EQ(view(2).panel().title, QStringLiteral("soft_2, head 0"));
}

TEST_F(MatrixPageTest, ShowsNoMoreBecauseAnotherAnalysisShowsAll) {
  const int before = page().matrices().count();
  AnalysisSettings settings = workspace().analysis().settings();
  for (const char* other : {"norms", "spectrum", "tokens"}) settings.setScope(other, {true, true});
  workspace().analysis().set(settings);
  settle();
  EXPECT_EQ(page().matrices().count(), before);
}

TEST_F(MatrixPageTest, TheWheelGoesDownToSingleEntriesAndTheButtonBack) {
  const QPointF at = view(0).placeOf(40, 20);
  turnWheel(view(0), at, 30);
  const MatrixPanel& panel = view(0).panel();
  EXPECT_LT(panel.visible.width() * panel.keys, 7);
  EXPECT_LT((view(0).placeOf(40, 20) - at).manhattanLength(), 90) << "it stays under the pointer";
  EXPECT_EQ(panel.detail.part, matrixPart(fractionOf(panel.visible), panel.queries, panel.keys));
  EXPECT_EQ((*panel.detail.values)(0, 0),
            test::syntheticValue(0, panel.detail.part.firstRow, panel.detail.part.firstColumn));
  press("Whole matrix");
  EXPECT_EQ(view(0).panel().visible, QRectF(0, 0, 1, 1));
}

TEST_F(MatrixPageTest, DraggingMovesAndDoesNotAsk) {
  turnWheel(view(0), view(0).placeOf(32, 32), 4);
  const QRectF before = view(0).panel().visible;
  const PictureQuery query = workspace().queries().query();
  const QPoint from = view(0).imageRect().center().toPoint();
  QTest::mousePress(&view(0), Qt::LeftButton, {}, from);
  QTest::mouseMove(&view(0), from + QPoint(60, 0));
  QTest::mouseRelease(&view(0), Qt::LeftButton, {}, from + QPoint(60, 0));
  settle();
  EXPECT_LT(view(0).panel().visible.x(), before.x());
  EXPECT_EQ(view(0).panel().visible.y(), before.y());
  EXPECT_EQ(workspace().queries().query(), query);
}

TEST_F(MatrixPageTest, AClickAsksItsRowAndTheRowIsMarked) {
  QTest::mouseClick(&view(0), Qt::LeftButton, {}, view(0).placeOf(19, 7).toPoint());
  settle();
  EXPECT_EQ(workspace().queries().token(), 19);
  ASSERT_EQ(view(0).panel().marks.size(), 1u);
  EXPECT_EQ(view(0).panel().marks[0].row, 19);
  // A click on the class token's row asks that.
  workspace().layers().choose("blocks.2.attn");
  settle();
  QTest::mouseClick(&view(0), Qt::LeftButton, {}, view(0).placeOf(0, 3).toPoint());
  settle();
  EXPECT_TRUE(workspace().queries().asksPrefixToken());
  EXPECT_EQ(view(0).panel().marks[0].row, 0);
}

TEST_F(MatrixPageTest, HoveringNamesBothTokensAndMarksThemOnThePicture) {
  QString said;
  QObject::connect(&page(), &Page::readOut, [&](const QString& text) { said = text; });
  QTest::mouseMove(&view(0), view(0).placeOf(17, 63).toPoint());
  EXPECT_EQ(said.section(QStringLiteral(": "), 0, 1),
            QStringLiteral("head 0: query patch (2, 1), key patch (7, 7)"));
  const std::vector<PictureMark>& marks = picture().pointed();
  ASSERT_EQ(marks.size(), 2u);
  // The network saw all of the picture, in 8 x 8 patches.
  EXPECT_EQ(marks[0].place, QRectF(1.0 / 8, 2.0 / 8, 1.0 / 8, 1.0 / 8));
  EXPECT_EQ(marks[1].place, QRectF(7.0 / 8, 7.0 / 8, 1.0 / 8, 1.0 / 8));
  workspace().setPage(QStringLiteral("heads"));
  settle();
  EXPECT_TRUE(picture().pointed().empty());
}

TEST_F(MatrixPageTest, WhatIsChosenIsKept) {
  AnalysisSettings settings;
  settings.of<MatrixSettings>() = {1, true, {0.25, 0.5, 0.25, 0.125}, 0};
  EXPECT_EQ(readAnalysis(analysisJson(settings)).of<MatrixSettings>(),
            settings.of<MatrixSettings>());
  QJsonObject damaged = analysisJson(settings);
  damaged["matrix"] = QJsonObject{{"part", QStringLiteral("none")}, {"head", -4}};
  EXPECT_EQ(readAnalysis(damaged).of<MatrixSettings>(), MatrixSettings());
}

TEST_F(MatrixPageTest, FineMatricesComeAfterAStepAwayAndBack) {
  workspace().layers().choose("block2.0.attn");
  workspace().layers().choose("block1.0.attn");
  settle();
  EXPECT_TRUE(page().hasFigure());
  // A step away while the finer one is on its way, and back before the other's is there.
  AnalysisSettings settings = workspace().analysis().settings();
  settings.of<MatrixSettings>().part = {0.25, 0.25, 0.5, 0.5};
  workspace().analysis().set(settings);
  workspace().layers().choose("block2.0.attn");
  workspace().layers().choose("block1.0.attn");
  settle();
  EXPECT_TRUE(page().hasFigure());
}

TEST_F(MatrixPageTest, ItsNumbersAreSaved) {
  const QString file = folder_.filePath(QStringLiteral("matrix.npz"));
  ASSERT_TRUE(window_->figures().saveNumbers(file));
  const NamedArrays arrays = readNpz(file.toStdString());
  ASSERT_EQ(arrays.size(), 1u + 4u) << "the matrix and what is measured of its lines";
  EXPECT_EQ(arrays[0].first, "soft.block1_0_attn.head_0");
  EXPECT_EQ(arrays[0].second.values[64 * 9 + 4], test::syntheticValue(0, 9, 4));
}

}  // namespace
}  // namespace softscope
