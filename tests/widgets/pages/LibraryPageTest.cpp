#include "app/commands/BundledModels.h"
#include "app/window/MainWindow.h"
#include "models/NetworkEngine.h"
#include "tests/app/window/WindowFixture.h"
#include "tests/widgets/SyntheticModel.h"
#include "widgets/pages/LibraryPage.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QTest>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeWidget>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// The window as the program opens it, with the models in the box.
class LibraryPageTest : public test::WindowFixture {
 protected:
  LibraryPageTest() {
    WindowOptions options;
    options.picturePath = test::writeTestPicture(128, 96);
    options.library = bundledModels;
    start(networkEngine(), options, {1280, 800});
    showLibrary();
  }
  void showLibrary() {
    window_->workspace().setPage(QStringLiteral("models"));
    QCoreApplication::processEvents();
  }
  QTreeWidget& list() { return window_->findChild<LibraryPage*>()->list(); }
  QString nameAt(int row) { return list().topLevelItem(row)->text(1); }
  /// One click on a button of a row.
  void press(int row, const QString& text) {
    for (auto* button :
         list().itemWidget(list().topLevelItem(row), 0)->findChildren<QToolButton*>()) {
      if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
    }
    settle();
  }
};

TEST_F(LibraryPageTest, ColumnsShareTheWidthOfThePage) {
  for (const int width : {1280, 1900}) {
    window_->resize(width, 800);
    QCoreApplication::processEvents();
    const int spare = list().viewport()->width() - list().header()->length();
    EXPECT_GE(spare, 0) << width;
    EXPECT_LT(spare, 4) << width;
  }
}

TEST_F(LibraryPageTest, ANarrowPageLeavesOutSizesAndDataBeforeItCutsMechanisms) {
  window_->resize(1280, 720);
  QCoreApplication::processEvents();
  constexpr int attention = 3;
  EXPECT_GE(list().columnWidth(attention),
            static_cast<const QAbstractItemView&>(list()).sizeHintForColumn(attention));
  EXPECT_LE(list().header()->length(), list().viewport()->width());
  EXPECT_TRUE(list().isColumnHidden(5));
  EXPECT_TRUE(list().topLevelItem(0)->toolTip(1).contains(list().topLevelItem(0)->text(5)));
  window_->resize(1900, 800);
  QCoreApplication::processEvents();
  EXPECT_FALSE(list().isColumnHidden(5));
}

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
  ASSERT_GT(list().topLevelItemCount(), 1);
  for (int row = 0; row < list().topLevelItemCount(); ++row) {
    showLibrary();
    const QString name = nameAt(row);
    press(row, QStringLiteral("Open"));
    const Workspace& workspace = window_->workspace();
    ASSERT_EQ(workspace.models().all().size(), 1u);
    EXPECT_EQ(workspace.models().current()->name(), name);
    EXPECT_TRUE(workspace.models().current()->shownLayer())
        << workspace.models().current()->failure.toStdString();
    EXPECT_EQ(workspace.page(), QStringLiteral("heads"));
  }
}

TEST_F(LibraryPageTest, OpensTheChosenRowByKey) {
  list().setCurrentItem(list().topLevelItem(2));
  QTest::keyClick(&list(), Qt::Key_Return);
  settle();
  EXPECT_EQ(window_->workspace().models().current()->name(), nameAt(2));
}

TEST_F(LibraryPageTest, OpensBesideWhatIsShown) {
  press(0, QStringLiteral("Open"));
  showLibrary();
  press(1, QStringLiteral("+"));
  const Workspace& workspace = window_->workspace();
  ASSERT_EQ(workspace.models().all().size(), 2u);
  EXPECT_EQ(workspace.models().current()->name(), nameAt(1));
  EXPECT_EQ(workspace.page(), QStringLiteral("models")) << "to take more of them";
}

TEST_F(LibraryPageTest, TheOpenModelIsTheCurrentLine) {
  press(2, QStringLiteral("Open"));
  showLibrary();
  ASSERT_NE(list().currentItem(), nullptr);
  EXPECT_EQ(list().indexOfTopLevelItem(list().currentItem()), 2);
  EXPECT_TRUE(list().topLevelItem(2)->font(1).bold());
  EXPECT_FALSE(list().topLevelItem(0)->font(1).bold());
}

}  // namespace
}  // namespace softscope
