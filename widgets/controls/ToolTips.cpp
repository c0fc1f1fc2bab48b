#include "widgets/controls/ToolTips.h"

#include <QtCore/QStringList>
#include <QtGui/QHelpEvent>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

namespace softscope {

namespace {

constexpr qsizetype longestTipLine = 72;

}  // namespace

QString onLines(const QString& text) {
  QStringList lines;
  for (const QString& paragraph : text.split(u'\n')) {
    lines += QString();
    for (const QString& word : paragraph.split(u' ')) {
      if (!lines.last().isEmpty() && lines.last().size() + word.size() >= longestTipLine) {
        lines += QString();
      }
      lines.last() += lines.last().isEmpty() ? word : u' ' + word;
    }
  }
  return lines.join(u'\n');
}

bool LongToolTips::eventFilter(QObject* watched, QEvent* event) {
  auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
  if (!widget || widget->toolTip().size() <= longestTipLine) {
    return QObject::eventFilter(watched, event);
  }
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), onLines(widget->toolTip()),
                     widget);
  return true;
}

}  // namespace softscope
