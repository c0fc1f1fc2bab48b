#include "app/window/InteractiveExport.h"
#include "app/window/MainWindow.h"
#include "app/window/SweepExport.h"
#include "tests/app/window/SyntheticContent.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/panels/SweepDialog.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace softscope {

/// A job that ends when the test lets it.
struct HeldJob {};
std::size_t bytesOf(const HeldJob&) {
  return 1;
}

namespace {

/// A window in which a model goes away while a dialog asks how it is to be exported.
class ExportDialogsTest : public test::WindowFixture {
 protected:
  ExportDialogsTest() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    start(test::syntheticEngine(), test::syntheticContent({"first.pth"}));
  }
  void closeModel() { window_->workspace().queue().close(0); }

  QTemporaryDir folder_;
};

TEST_F(ExportDialogsTest, ASweepIsOfWhatWasShownWhenItsDialogOpened) {
  QTimer::singleShot(0, qApp, [this] {
    auto* dialog = qobject_cast<SweepDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    closeModel();
    ASSERT_TRUE(window_->workspace().models().all().empty());
    // Previews it again.
    for (auto* number : dialog->findChildren<QSpinBox*>()) {
      if (number->accessibleName() == QLatin1String("Frames")) number->setValue(3);
    }
    EXPECT_EQ(dialog->settings().frames, 3);
    SweepSettings settings = dialog->settings();
    settings.over = SweepOver::Layers;
    Q_EMIT dialog->copyCommandAsked(folder_.filePath(QStringLiteral("sweep.webp")), settings);
    dialog->reject();
  });
  window_->sweepExport().openDialog();
  const QString command = QGuiApplication::clipboard()->text();
  EXPECT_TRUE(command.startsWith(QStringLiteral("softscope figure sweep")))
      << command.toStdString();
  EXPECT_TRUE(command.contains(QStringLiteral("first.pth"))) << command.toStdString();
}

TEST_F(ExportDialogsTest, AnInteractivePageIsOfWhatWasShownWhenItsDialogOpened) {
  QTimer poll;
  poll.setInterval(10);
  QObject::connect(&poll, &QTimer::timeout, &poll, [&] {
    QWidget* modal = QApplication::activeModalWidget();
    if (auto* file = qobject_cast<QFileDialog*>(modal)) {
      poll.stop();
      file->setDirectory(folder_.path());
      file->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))
          ->setText(QStringLiteral("page.html"));
      QMetaObject::invokeMethod(file, "accept");
    } else if (auto* layers = qobject_cast<QDialog*>(modal)) {
      closeModel();
      layers->accept();
    }
  });
  poll.start();
  QSignalSpy written(&window_->interactiveExport(), &InteractiveExport::written);
  window_->interactiveExport().openDialog();
  settle();
  ASSERT_EQ(written.count(), 1);
  QFile file(folder_.filePath(QStringLiteral("page.html")));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray page = file.readAll();
  EXPECT_TRUE(page.contains("\"name\":\"block2.0.attn\""));
  EXPECT_TRUE(page.contains("first.pth")) << "the command that makes it";
}

TEST_F(ExportDialogsTest, AFileIsOfferedANameThatItCanHave) {
  window_->workspace().models().rename(0, QStringLiteral("SOFT w/o norm"));
  QString file;
  QTimer::singleShot(0, qApp, [&file] {
    auto* dialog = qobject_cast<SweepDialog*>(QApplication::activeModalWidget());
    ASSERT_NE(dialog, nullptr);
    for (const auto* line : dialog->findChildren<QLineEdit*>()) {
      if (line->accessibleName() == QLatin1String("File")) file = line->text();
    }
    dialog->reject();
  });
  window_->sweepExport().openDialog();
  EXPECT_TRUE(file.endsWith(QStringLiteral("/SOFT w_o norm.webp"))) << file.toStdString();
}

TEST_F(ExportDialogsTest, AWindowThatStillWritesAFileAsksBeforeItCloses) {
  std::atomic<bool> isHeld = true;
  // The file waits behind it.
  window_->workspace().jobs().start<HeldJob>(
      1, {QStringLiteral("deletion"), QStringLiteral("Deletion"), {}},
      [&isHeld](const Progress&, const Jobs::Teller<HeldJob>&) {
        while (isHeld) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return HeldJob();
      });
  window_->interactiveExport().write({QStringLiteral("block2.0.attn")},
                                     folder_.filePath(QStringLiteral("page.html")));
  QString question;
  const auto answer = [&question](const QString& wanted) {
    QTimer::singleShot(0, qApp, [&question, wanted] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr);
      question = box->text();
      for (QAbstractButton* button : box->buttons()) {
        if (button->text() == wanted) return button->click();
      }
      box->reject();
    });
  };
  answer(QStringLiteral("&Wait"));
  EXPECT_FALSE(window_->close());
  EXPECT_TRUE(question.contains(QStringLiteral("page.html"))) << question.toStdString();
  EXPECT_TRUE(window_->isVisible());
  answer(QStringLiteral("&Close"));
  EXPECT_TRUE(window_->close());
  window_->show();
  window_->setAsksBeforeClosing(false);
  EXPECT_TRUE(window_->close()) << "as a signal closes it";
  window_->show();
  window_->setAsksBeforeClosing(true);
  isHeld = false;
  settle();
  EXPECT_TRUE(window_->close()) << "the file is written";
}

TEST_F(ExportDialogsTest, AMeasurementThatAPageStartedIsNotAskedAbout) {
  std::atomic<bool> isHeld = true;
  JobText text{QStringLiteral("deletion"), QStringLiteral("Deletion"), {}};
  text.isStartedByPage = true;
  window_->workspace().jobs().start<HeldJob>(
      1, text, [&isHeld](const Progress&, const Jobs::Teller<HeldJob>&) {
        while (isHeld) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return HeldJob();
      });
  EXPECT_TRUE(window_->close());
  isHeld = false;
  settle();
}

TEST_F(ExportDialogsTest, AWindowThatMeasuresAsksBeforeItCloses) {
  Jobs& jobs = window_->workspace().jobs();
  const int id = jobs.addProcess(
      {QStringLiteral("survey"), QStringLiteral("Survey"), QStringLiteral("all.survey")}, {});
  jobs.noteProcess(id, QStringLiteral("3 of 7 pictures"), 3.0 / 7);
  QString question;
  QTimer::singleShot(0, qApp, [&question] {
    auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
    ASSERT_NE(box, nullptr);
    question = box->text();
    box->reject();
  });
  EXPECT_FALSE(window_->close());
  EXPECT_TRUE(question.contains(QStringLiteral("Survey of all.survey (3 of 7 pictures)")))
      << question.toStdString();
  jobs.endProcess(id, Jobs::State::Done);
  EXPECT_TRUE(window_->close());
}

}  // namespace
}  // namespace softscope
