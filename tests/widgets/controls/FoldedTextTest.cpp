#include "widgets/controls/FoldedText.h"

#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

#include <gtest/gtest.h>

namespace softscope {
namespace {

class FoldedTextTest : public testing::Test {
 protected:
  FoldedTextTest() {
    text_.resize(300, 400);
    text_.setFoldedHeight(3 * text_.fontMetrics().lineSpacing());
    text_.show();
  }
  int neededHeight() { return text_.heightForWidth(text_.width()); }

  FoldedText text_;
};

TEST_F(FoldedTextTest, AShortTextIsShownWhole) {
  text_.setText(QStringLiteral("Two heads."));
  EXPECT_FALSE(text_.isFolded());
  EXPECT_TRUE(text_.findChild<QToolButton*>()->isHidden());
}

TEST_F(FoldedTextTest, ALongTextIsFoldedUntilItIsAskedFor) {
  text_.setText(QStringLiteral("The largest singular value is 8.54. ").repeated(20));
  EXPECT_TRUE(text_.isFolded());
  const int folded = neededHeight();
  EXPECT_LE(folded, 4 * text_.fontMetrics().lineSpacing());
  QTest::mouseClick(text_.findChild<QToolButton*>(), Qt::LeftButton);
  EXPECT_FALSE(text_.isFolded());
  EXPECT_GT(neededHeight(), 2 * folded);
  QTest::mouseClick(text_.findChild<QToolButton*>(), Qt::LeftButton);
  EXPECT_EQ(neededHeight(), folded);
}

TEST_F(FoldedTextTest, AnEllipsisStandsForTheRest) {
  const QString whole = QStringLiteral("spectral norms · and what follows · ").repeated(20);
  text_.setText(whole);
  const QString shown = text_.shownText();
  EXPECT_TRUE(shown.endsWith(QStringLiteral(" …"))) << shown.toStdString();
  EXPECT_FALSE(shown.endsWith(QStringLiteral("· …"))) << shown.toStdString();
  EXPECT_TRUE(whole.startsWith(shown.chopped(2)));
  EXPECT_EQ(text_.text(), whole);
  QTest::mouseClick(text_.findChild<QToolButton*>(), Qt::LeftButton);
  EXPECT_EQ(text_.shownText(), whole);
}

TEST_F(FoldedTextTest, MoreRoomUnfoldsIt) {
  text_.setText(QStringLiteral("The largest singular value is 8.54. ").repeated(6));
  ASSERT_TRUE(text_.isFolded());
  text_.setFoldedHeight(20 * text_.fontMetrics().lineSpacing());
  EXPECT_FALSE(text_.isFolded());
}

TEST(FoldedText, BreaksNoLineInsideAName) {
  FoldedText text;
  text.setText(QStringLiteral("soft++ (pooled landmarks)"));
  EXPECT_EQ(text.shownText(), text.text());
  const auto* label = text.findChild<QLabel*>();
  EXPECT_FALSE(label->text().contains(QStringLiteral("++"))) << "a line may break there";
  const QString name = QStringLiteral("behind cls_attn_blocks.3 of 0.5");
  text.setText(name);
  EXPECT_EQ(text.shownText(), name);
  EXPECT_FALSE(label->text().contains(QStringLiteral(".3"))) << "and there";
}

}  // namespace
}  // namespace softscope
