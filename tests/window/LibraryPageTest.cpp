#include "app/BundledModels.h"
#include "app/MainWindow.h"
#include "core/inspect/Inspector.h"
#include "models/OpenModel.h"
#include "tests/window/SyntheticModel.h"
#include "widgets/LibraryPage.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QTest>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTreeWidget>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// The window as the program opens it, with the models in the box.
class LibraryPageTest : public testing::Test {
 protected:
  LibraryPageTest() {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 96);
    options.library = bundledModels;
    window_ = std::make_unique<MainWindow>(
        [](const ModelRequest& request, const Progress& progress) {
          return openModel(request, progress);
        },
        [](const Model& model, const InputTensor& input, const Progress& progress) {
          return inspect(model, input, progress);
        },
        options);
    window_->resize(1280, 800);
    window_->show();
    settle();
    showLibrary();
  }
  void settle() {
    ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->workspace().isBusy(); }, 60000));
    QCoreApplication::processEvents();
  }
  void showLibrary() {
    window_->workspace().setPage(QStringLiteral("models"));
    QCoreApplication::processEvents();
  }
  QTreeWidget& list() { return window_->findChild<LibraryPage*>()->list(); }
  void press(const QString& text) {
    for (auto* button : window_->findChild<LibraryPage*>()->findChildren<QPushButton*>()) {
      if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
    }
    settle();
  }
  void choose(int row) {
    const QRect place = list().visualItemRect(list().topLevelItem(row));
    QTest::mouseClick(list().viewport(), Qt::LeftButton, {}, place.center());
  }

  std::unique_ptr<MainWindow> window_;
};

TEST_F(LibraryPageTest, SaysOfEveryModelWhatItIsAndHowGood) {
  ASSERT_EQ(list().topLevelItemCount(), static_cast<int>(bundledModels().size()));
  ASSERT_GE(list().topLevelItemCount(), 10);
  for (const LibraryModel& model : bundledModels()) {
    const std::string name = model.name.toStdString();
    EXPECT_FALSE(model.mechanism.isEmpty()) << name;
    EXPECT_FALSE(model.dataSet.isEmpty()) << name;
    EXPECT_TRUE(
        QRegularExpression(QStringLiteral("^\\d\\d\\.\\d\\d %$")).match(model.accuracy).hasMatch())
        << name << ": " << model.accuracy.toStdString();
    EXPECT_TRUE(model.accuracyInFull.startsWith(model.accuracy)) << name;
  }
}

TEST_F(LibraryPageTest, OpensEachInPlaceOfTheOneBefore) {
  for (int row = 0; row < list().topLevelItemCount(); ++row) {
    showLibrary();
    choose(row);
    press(QStringLiteral("Open"));
    const Workspace& workspace = window_->workspace();
    ASSERT_EQ(workspace.models().size(), 1u);
    EXPECT_EQ(workspace.current()->name(), list().topLevelItem(row)->text(0));
    EXPECT_TRUE(workspace.current()->shownLayer()) << workspace.current()->failure.toStdString();
    EXPECT_EQ(workspace.page(), QStringLiteral("heads"));
  }
}

TEST_F(LibraryPageTest, OpensBesideWhatIsShown) {
  choose(0);
  press(QStringLiteral("Open"));
  showLibrary();
  choose(1);
  press(QStringLiteral("Open beside"));
  const Workspace& workspace = window_->workspace();
  ASSERT_EQ(workspace.models().size(), 2u);
  EXPECT_EQ(workspace.current()->name(), list().topLevelItem(1)->text(0));
  EXPECT_EQ(workspace.page(), QStringLiteral("compare"));
}

}  // namespace
}  // namespace softscope
