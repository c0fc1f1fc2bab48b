#include "widgets/controls/FoldedText.h"
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

TEST_F(ScrolledHeadTest, ABarGoesWithTheNeedForItAtEveryWidth) {
  say(QStringLiteral("words enough for many lines ").repeated(30));
  for (int width = 700; width < 900; width += 3) {
    page_.resize(300, 200);
    QCoreApplication::processEvents();
    ASSERT_TRUE(head_->verticalScrollBar()->isVisible());
    page_.resize(width, 900);
    QCoreApplication::processEvents();
    EXPECT_FALSE(head_->verticalScrollBar()->isVisible()) << width;
    EXPECT_EQ(head_->viewport()->width(), width);
    EXPECT_EQ(head_->height(), head_->widget()->height()) << width;
  }
}

TEST(ScrolledHead, FoldedTextIsAsHighAsItsLinesAfterAnyStep) {
  QWidget page;
  auto* content = new QWidget;
  auto* text = new FoldedText;
  auto* bar = new QWidget;
  bar->setMinimumHeight(34);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(text);
  auto* head = new ScrolledHead(content, &page);
  auto* parts = new QVBoxLayout(&page);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->addWidget(head);
  parts->addWidget(new QWidget, 1);
  text->setText(QStringLiteral("words enough for several lines ").repeated(4));
  page.show();
  for (const int width : {1240, 530, 620, 400, 1240, 300, 900}) {
    page.resize(width, 600);
    QCoreApplication::processEvents();
    EXPECT_EQ(text->height(), text->heightForWidth(width)) << width;
    EXPECT_EQ(head->height(), 34 + text->heightForWidth(width)) << width;
    EXPECT_EQ(content->height(), head->viewport()->height()) << width;
  }
}

}  // namespace
}  // namespace softscope
