#include "core/analysis/Explanation.h"
#include "widgets/controls/ExplanationView.h"

#include <QtTest/QTest>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QVBoxLayout>

#include <gtest/gtest.h>

namespace softscope {
namespace {

/// Where a line breaks depends on the width to the pixel.
TEST(ExplanationView, IsAsHighAsItsTextAtEveryWidth) {
  QWidget window;
  auto* view = new ExplanationView;
  auto* column = new QVBoxLayout(&window);
  column->addWidget(view);
  column->addStretch(1);
  const Explanation told = explanationOf("compare");
  view->setText(
      QStringLiteral("<p><b>%1.</b> %2</p><p><b>Look for:</b> %3</p><p><b>Formula:</b> %4</p>")
          .arg(QString::fromStdString(told.title), QString::fromStdString(told.shows),
               QString::fromStdString(told.lookFor), QString::fromStdString(told.formula)));
  window.resize(500, 2000);
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  const auto* scroll = view->findChild<QScrollArea*>();
  for (int width = 500; width < 700; ++width) {
    window.resize(width, 2000);
    QTest::qWait(0);
    EXPECT_EQ(scroll->verticalScrollBar()->maximum(), 0) << width;
  }
}

}  // namespace
}  // namespace softscope
