#include "app/commands/BundledModels.h"
#include "app/window/MainWindow.h"
#include "app/window/PagesExport.h"
#include "models/NetworkEngine.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/HeadsPage.h"
#include "widgets/pages/NormsPage.h"
#include "widgets/plot/PlotBoard.h"
#include "widgets/plot/PlotView.h"
#include "widgets/views/HeadGrid.h"
#include "widgets/views/HeadPanelView.h"
#include "widgets/workspace/AskedQueries.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/OpenedPicture.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLineEdit>

#include <gtest/gtest.h>

#include <functional>

namespace softscope {
namespace {

/// Uses the window with real models as a user does, and counts every key and every click.
class OwnersTaskTest : public test::WindowFixture {
 protected:
  OwnersTaskTest() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    WindowOptions options;
    options.bundledPicture = test::writeTestPicture(160, 160, "bundled.png");
    options.library = bundledModels;
    for (const LibraryModel& model : bundledModels()) {
      if (model.mechanism == QStringLiteral("soft")) {
        options.bundledModel = model.path.toStdString();
        break;
      }
    }
    start(networkEngine(), std::move(options), {1440, 900});
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
  }
  void settle() {
    ASSERT_TRUE(
        QTest::qWaitFor([this] { return !window_->pagesExport().isWriting(); }, test::patience));
    WindowFixture::settle();
  }
  void press(const QKeySequence& keys) {
    ++inputs_;
    // A dialog that has closed leaves the window to be activated, as a desktop does.
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QTest::keySequence(window_.get(), keys);
    settle();
  }
  void click(QWidget& widget, const QPoint& at) {
    ++inputs_;
    QTest::mouseClick(&widget, Qt::LeftButton, {}, at);
    settle();
  }
  /// Answers the dialog that the next key opens, which is one input.
  void answerNext(const std::function<void(QDialog&)>& answer) {
    QTimer::singleShot(0, qApp, [this, answer] {
      auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr);
      ++inputs_;
      answer(*dialog);
    });
  }
  template <typename Widget>
  Widget& find() {
    return *window_->findChild<Widget*>();
  }

  QTemporaryDir folder_;
  int inputs_ = 0;
};

/// Open an image and inspect attention per head, export heat maps as figures, and compare spectral
/// norms of SOFT with SOFT++.
TEST_F(OwnersTaskTest, TakesAtMostSevenInputs) {
  const QString picture =
      QString::fromStdString(test::writeTestPicture(200, 160, "of the owner.png"));
  answerNext([&](QDialog& dialog) {
    auto& files = dynamic_cast<QFileDialog&>(dialog);
    files.selectFile(picture);
    files.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(picture);
    QMetaObject::invokeMethod(&files, "accept");
  });
  press(QKeySequence(QStringLiteral("Ctrl+O")));
  ASSERT_EQ(window_->workspace().picture().get()->path, picture.toStdString());

  HeadGrid& heads = *find<HeadsPage>().findChild<HeadGrid*>();
  ASSERT_TRUE(heads.isVisible()) << "attention of each head";
  HeadPanelView& panel = heads.view(0);
  const QRectF image = panel.imageRect();
  const int before = window_->workspace().queries().token();
  click(panel, image.topLeft().toPoint() + QPoint(3, 3));
  EXPECT_NE(window_->workspace().queries().token(), before);

  press(QKeySequence(QStringLiteral("Ctrl+B")));
  ASSERT_EQ(window_->workspace().models().all().size(), 2u);
  press(QKeySequence(QStringLiteral("Alt+6")));
  NormsPage& norms = find<NormsPage>();
  ASSERT_TRUE(norms.hasFigure());
  QStringList plots;
  for (int i = 0; i < norms.board().plotCount(); ++i) {
    const Plot& plot = norms.board().plot(i).plot();
    plots += plot.title + u' ' + plot.note;
  }
  for (const OpenedModel& model : window_->workspace().models().all()) {
    EXPECT_TRUE(plots.join(u'\n').contains(model.name()))
        << model.name().toStdString() << " is not in " << plots.join(u'\n').toStdString();
  }

  answerNext([&](QDialog& dialog) {
    for (auto* line : dialog.findChildren<QLineEdit*>()) {
      // The folder of the test stands in for that of the user's documents.
      if (line->accessibleName() == QStringLiteral("Folder")) line->setText(folder_.path());
    }
    QTest::keyClick(&dialog, Qt::Key_Return);
  });
  press(QKeySequence(QStringLiteral("Ctrl+Alt+E")));
  const QStringList files = QDir(folder_.path()).entryList(QDir::Files);
  EXPECT_EQ(files.size(), 2) << files.join(u'\n').toStdString();
  EXPECT_TRUE(files.contains(QStringLiteral("norms.pdf"))) << files.join(u'\n').toStdString();

  EXPECT_LE(inputs_, 7);
  EXPECT_GT(inputs_, 5) << "they are counted";
}

}  // namespace
}  // namespace softscope
