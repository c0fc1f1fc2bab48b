#include "widgets/controls/ScrolledContent.h"

#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QVBoxLayout>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class ScrolledHeadTest : public testing::Test {
 protected:
  ScrolledHeadTest() {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->addWidget(words_);
    words_->setWordWrap(true);
    head_ = new ScrolledHead(content, &page_);
    auto* parts = new QVBoxLayout(&page_);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->addWidget(head_);
    parts->addWidget(new QWidget, 1);
    page_.resize(300, 200);
    page_.show();
  }
  void say(const QString& words) {
    words_->setText(words);
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }

  QWidget page_;
  QLabel* words_ = new QLabel;
  ScrolledHead* head_ = nullptr;
};

TEST_F(ScrolledHeadTest, IsAsHighAsItsWordsNeed) {
  say(QStringLiteral("a few"));
  const int line = head_->height();
  EXPECT_GE(line, words_->fontMetrics().height());
  EXPECT_LT(line, 3 * words_->fontMetrics().height() + 20);
  say(QStringLiteral("words enough for several lines ").repeated(4));
  EXPECT_GT(head_->height(), line);
  EXPECT_FALSE(head_->verticalScrollBar()->isVisible());
}

TEST_F(ScrolledHeadTest, ScrollsWhereItWouldTakeMoreThanHalf) {
  say(QStringLiteral("words enough for many lines ").repeated(60));
  EXPECT_EQ(head_->height(), 100);
  EXPECT_TRUE(head_->verticalScrollBar()->isVisible());
  page_.resize(300, 400);
  QCoreApplication::processEvents();
  EXPECT_EQ(head_->height(), 200);
  say(QStringLiteral("a few"));
  EXPECT_LT(head_->height(), 100);
  EXPECT_FALSE(head_->verticalScrollBar()->isVisible());
}

}  // namespace
}  // namespace softscope
