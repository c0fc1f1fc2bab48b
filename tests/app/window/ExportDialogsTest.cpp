#include "app/window/InteractiveExport.h"
#include "app/window/MainWindow.h"
#include "app/window/SweepExport.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/panels/SweepDialog.h"
#include "widgets/workspace/Jobs.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Worker.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtCore/QTimer>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>

#include <gtest/gtest.h>

#include <memory>

namespace softscope {
namespace {

/// A window in which a model goes away while a dialog asks how it is to be exported.
class ExportDialogsTest : public testing::Test {
 protected:
  ExportDialogsTest() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 64);
    options.models.resize(1);
    options.models[0].path = "first.pth";
    window_ = std::make_unique<MainWindow>(test::syntheticEngine(), options);
    window_->show();
    settle();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] {
      return !window_->workspace().worker().isBusy() && !window_->workspace().jobs().isBusy();
    }));
    QCoreApplication::processEvents();
  }
  void closeModel() { window_->workspace().queue().close(0); }

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
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

}  // namespace
}  // namespace softscope
