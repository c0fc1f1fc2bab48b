#include "widgets/controls/LongToolTips.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QHelpEvent>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(WrappedText, BreaksBetweenWordsAndKeepsLineBreaks) {
  EXPECT_EQ(wrappedText("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(wrappedText("one\ntwo three", 9), "one\ntwo three");
  EXPECT_EQ(wrappedText("a-word-that-is-long b", 5), "a-word-that-is-long\nb");
  EXPECT_EQ(wrappedText("", 5), "");
}

TEST(LongToolTips, AreShownInLinesOfAReadableLength) {
  LongToolTips toolTips;
  QCoreApplication::instance()->installEventFilter(&toolTips);
  QWidget widget;
  widget.show();
  const auto shownFor = [&](const QString& text) {
    widget.setToolTip(text);
    QHelpEvent event(QEvent::ToolTip, QPoint(2, 2), widget.mapToGlobal(QPoint(2, 2)));
    QCoreApplication::sendEvent(&widget, &event);
    return QToolTip::text();
  };
  EXPECT_EQ(shownFor("Short"), "Short");
  const QString longText = QStringLiteral("what multiplies V ").repeated(12).trimmed();
  const QStringList lines = shownFor(longText).split(u'\n');
  EXPECT_GT(lines.size(), 2);
  for (const QString& line : lines) EXPECT_LE(line.size(), 72);
  EXPECT_EQ(lines.join(u' '), longText);
  EXPECT_EQ(widget.toolTip(), longText) << "as screen readers say it";
}

}  // namespace
}  // namespace softscope
