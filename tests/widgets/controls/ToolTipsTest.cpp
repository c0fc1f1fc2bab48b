#include "widgets/controls/ToolTips.h"

#include <QtCore/QCoreApplication>
#include <QtGui/QHelpEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

#include <gtest/gtest.h>

namespace softscope {
namespace {

TEST(LongToolTips, AreShownInSeveralLines) {
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
  const QString longText = QStringLiteral("what multiplies V & A < 1 ").repeated(12).trimmed();
  EXPECT_EQ(shownFor(longText).replace(u'\n', u' '), longText);
  const QLabel* tip = nullptr;
  for (const QWidget* window : QApplication::topLevelWidgets()) {
    if (window->isVisible() && window->inherits("QTipLabel")) {
      tip = qobject_cast<const QLabel*>(window);
    }
  }
  ASSERT_TRUE(tip);
  // Labels show names from files letter for letter, and so no markup.
  EXPECT_EQ(tip->textFormat(), Qt::PlainText);
  EXPECT_EQ(tip->text().replace(u'\n', u' '), longText);
  EXPECT_GE(tip->height(), 3 * tip->fontMetrics().height());
  EXPECT_LT(tip->width(), tip->fontMetrics().horizontalAdvance(longText) / 2);
  EXPECT_EQ(widget.toolTip(), longText) << "as screen readers say it";
}

TEST(EnableFor, AControlThatIsOffSaysWhy) {
  QWidget control;
  setKeyTip(control, QStringLiteral("Fades the maps"), "moreOpaque");
  enableFor(control, QStringLiteral("This page draws no maps"));
  enableFor(control, QStringLiteral("Nothing is open"));
  EXPECT_FALSE(control.isEnabled());
  EXPECT_EQ(control.toolTip(), QStringLiteral("Nothing is open"));
  EXPECT_FALSE(control.property(keyTipAction).isValid()) << "its keys do nothing";
  enableFor(control, {});
  enableFor(control, {});
  EXPECT_TRUE(control.isEnabled());
  EXPECT_EQ(control.toolTip(), QStringLiteral("Fades the maps"));
  EXPECT_EQ(control.property(keyTipAction).toString(), QStringLiteral("moreOpaque"));
}

}  // namespace
}  // namespace softscope
