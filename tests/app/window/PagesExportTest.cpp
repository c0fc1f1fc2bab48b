#include "app/window/FigureExport.h"
#include "app/window/MainWindow.h"
#include "app/window/PagesExport.h"
#include "core/analysis/deletion/ProbabilityCurve.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/core/files/TemporaryFolder.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/controls/ErrorBanner.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QDir>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace softscope {
namespace {

class PagesExportTest : public test::WindowFixture {
 protected:
  PagesExportTest() {
    Engine engine = test::syntheticEngine();
    engine.measureDeletion = [](const Model&, const InputTensor&, const DeletionRequest& request,
                                const Progress& progress) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      return followOrders(
          request.orders, request.steps, [](const std::vector<bool>&) { return 0.5; }, progress);
    };
    start(engine, test::syntheticContent({"first.pth"}));
  }
  void settle() {
    ASSERT_TRUE(
        QTest::qWaitFor([this] { return !window_->pagesExport().isWriting(); }, test::patience));
    WindowFixture::settle();
  }
  QStringList files() const { return QDir(folder_.path()).entryList(QDir::Files); }

  QTemporaryDir folder_;
};

TEST_F(PagesExportTest, WritesAFileForEachPage) {
  window_->pagesExport().write({QStringLiteral("heads"), QStringLiteral("compare")}, folder_.path(),
                               QStringLiteral(".svg"));
  settle();
  EXPECT_EQ(files().size(), 2) << files().join(u' ').toStdString();
}

TEST_F(PagesExportTest, WritesOnePdfOfAllPages) {
  window_->workspace().setPage(QStringLiteral("overview"));
  settle();
  QSignalSpy said(&window_->pagesExport(), &PagesExport::said);
  for (const char* name : {"pages.pdf", "pages_2.pdf"}) {
    window_->pagesExport().write({QStringLiteral("heads"), QStringLiteral("compare")},
                                 folder_.path(), QStringLiteral(".pdf"), true);
    settle();
    ASSERT_TRUE(files().contains(QString::fromLatin1(name))) << "no file is replaced";
  }
  EXPECT_EQ(files().size(), 2);
  const std::string pages = test::contentOf(folder_.filePath("pages.pdf").toStdString());
  EXPECT_NE(pages.find("/Count 2"), std::string::npos);
  EXPECT_EQ(window_->workspace().page(), QStringLiteral("overview"));
  ASSERT_FALSE(said.isEmpty());
  EXPECT_TRUE(said.back()[0].toString().startsWith(QStringLiteral("Wrote 2 figures into")));
}

TEST_F(PagesExportTest, WritesThePagesThatWereAskedForWhereverTheUserLooks) {
  window_->pagesExport().write({QStringLiteral("spectrum"), QStringLiteral("compare")},
                               folder_.path(), QStringLiteral(".svg"));
  window_->workspace().setPage(QStringLiteral("heads"));
  settle();
  EXPECT_EQ(files(),
            QStringList({QStringLiteral("comparison.svg"), QStringLiteral("spectrum.svg")}))
      << files().join(u' ').toStdString();
}

TEST_F(PagesExportTest, WaitsForWhatIsBeingMeasured) {
  QSignalSpy said(&window_->pagesExport(), &PagesExport::said);
  window_->pagesExport().write({QStringLiteral("deletion"), QStringLiteral("heads")},
                               folder_.path(), QStringLiteral(".svg"));
  settle();
  EXPECT_EQ(files().size(), 2) << files().join(u' ').toStdString();
  ASSERT_EQ(said.count(), 2);
  EXPECT_TRUE(said[0][0].toString().contains(QStringLiteral("waits for Deletion")));
  EXPECT_FALSE(said[1][0].toString().contains(QStringLiteral("nothing to export")))
      << said[1][0].toString().toStdString();
}

TEST_F(PagesExportTest, NothingTickedCannotBeExported) {
  bool wasAsked = false;
  QTimer::singleShot(0, [&wasAsked] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    ASSERT_TRUE(dialog);
    auto& list = *dialog->findChild<QListWidget*>();
    const QPushButton* write = nullptr;
    for (const auto* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() == QStringLiteral("Export")) write = button;
    }
    ASSERT_TRUE(write);
    EXPECT_TRUE(write->isEnabled()) << "Heads is ticked";
    for (int i = 0; i < list.count(); ++i) list.item(i)->setCheckState(Qt::Unchecked);
    EXPECT_FALSE(write->isEnabled());
    list.item(0)->setCheckState(Qt::Checked);
    EXPECT_TRUE(write->isEnabled());
    wasAsked = true;
    dialog->reject();
  });
  window_->pagesExport().openDialog();
  EXPECT_TRUE(wasAsked);
}

TEST_F(PagesExportTest, SaysThatPagesAreBeingExported) {
  window_->pagesExport().write({QStringLiteral("heads"), QStringLiteral("compare")}, folder_.path(),
                               QStringLiteral(".svg"));
  QSignalSpy said(&window_->pagesExport(), &PagesExport::said);
  window_->pagesExport().openDialog();
  ASSERT_EQ(said.count(), 1);
  EXPECT_TRUE(said[0][0].toString().contains(QStringLiteral("Compare")));
  settle();
}

TEST_F(PagesExportTest, WritesNoPdfWithoutPages) {
  QSignalSpy failed(&window_->pagesExport(), &PagesExport::failed);
  window_->pagesExport().write({QStringLiteral("survey")}, folder_.path(), QStringLiteral(".pdf"),
                               true);
  settle();
  EXPECT_EQ(failed.count(), 1);
  EXPECT_TRUE(files().isEmpty());
}

TEST_F(PagesExportTest, SaysAtTheEndWhichPageCouldNotBeWrittenAndWhy) {
  const QString heads = window_->figures().shownName();
  ASSERT_FALSE(heads.isEmpty());
  ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere/heads.svg"),
                          folder_.filePath(heads + QStringLiteral(".svg"))));
  QSignalSpy failed(&window_->pagesExport(), &PagesExport::failed);
  window_->pagesExport().write(
      {QStringLiteral("heads"), QStringLiteral("compare"), QStringLiteral("survey")},
      folder_.path(), QStringLiteral(".svg"));
  settle();
  ASSERT_EQ(failed.count(), 1);
  const QString message = failed[0][0].toString();
  for (const char* part : {"Wrote 1 figure into", "; not written: Heads (", "/nowhere",
                           "; nothing to export: Survey"}) {
    EXPECT_TRUE(message.contains(QLatin1String(part))) << message.toStdString();
  }
  const auto& banner = *window_->findChild<ErrorBanner*>();
  EXPECT_TRUE(banner.isVisible());
  EXPECT_EQ(banner.message(), message);
}

TEST_F(PagesExportTest, AModelsNameThatNoFileCanHaveIsNamedAlike) {
  for (const QString& name : {QStringLiteral("SOFT w/o\nnorm"), QString(300, QChar(0xe4))}) {
    window_->workspace().models().rename(0, name);
    window_->pagesExport().write({QStringLiteral("heads")}, folder_.path(), QStringLiteral(".svg"));
    settle();
  }
  ASSERT_EQ(files().size(), 2) << files().join(u' ').toStdString();
  EXPECT_TRUE(files()[0].startsWith(QStringLiteral("SOFT w_o norm_")))
      << files().join(u' ').toStdString();
}

}  // namespace
}  // namespace softscope
