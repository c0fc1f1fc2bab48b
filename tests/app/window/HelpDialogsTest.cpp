#include "app/window/help/HelpDialogs.h"
#include "widgets/controls/Theme.h"

#include <QtCore/QPointer>
#include <QtGui/QClipboard>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace softscope {
namespace {

QPushButton* copyButton(const QMessageBox& box) {
  for (QPushButton* button : box.findChildren<QPushButton*>()) {
    if (button->accessibleName() == QStringLiteral("Copy the versions")) return button;
  }
  return nullptr;
}

TEST(AboutBox, CopiesTheVersionsAndStays) {
  QWidget window;
  showAboutBox(window);
  auto* box = window.findChild<QMessageBox*>();
  ASSERT_TRUE(box);
  QGuiApplication::clipboard()->clear();
  copyButton(*box)->click();
  EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(QStringLiteral("LibTorch")));
  EXPECT_TRUE(box->isVisible());
}

TEST(AboutBox, IsForgottenByTheStyleSheetWhenItIsClosed) {
  const QFont font = QApplication::font();
  applyTheme(*qApp, ViewSettings::Theme::Light);
  QWidget window;
  window.show();
  for (int i = 0; i < 20; ++i) {
    showAboutBox(window);
    QPointer<QMessageBox> box = window.findChild<QMessageBox*>();
    ASSERT_TRUE(box);
    QCoreApplication::processEvents();
    delete box;
  }
  // What was freed holds something else.
  std::vector<std::string> others;
  for (std::size_t i = 0; i < 20000; ++i) others.emplace_back(16 + i % 600, char(4));
  setTextSize(*qApp, font, 1.5);
  setTextSize(*qApp, font, 1);
  SUCCEED() << "a button that is gone would have been asked for its kind";
}

}  // namespace
}  // namespace softscope
