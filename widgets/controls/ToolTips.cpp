#include "widgets/controls/ToolTips.h"

#include <QtCore/QStringList>
#include <QtGui/QHelpEvent>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

namespace softscope {

namespace {

constexpr qsizetype longestTipLine = 72;

}  // namespace

void enableFor(QWidget& control, const QString& reason) {
  constexpr const char* ownTip = "ownTip";
  constexpr const char* ownKeys = "ownKeys";
  if (reason.isEmpty()) {
    if (control.property(ownTip).isValid()) {
      control.setToolTip(control.property(ownTip).toString());
      control.setProperty(keyTipAction, control.property(ownKeys));
      control.setProperty(ownTip, QVariant());
    }
  } else {
    if (!control.property(ownTip).isValid()) {
      control.setProperty(ownTip, control.toolTip());
      control.setProperty(ownKeys, control.property(keyTipAction));
      // The keys do nothing either.
      control.setProperty(keyTipAction, QVariant());
    }
    control.setToolTip(reason);
  }
  control.setEnabled(reason.isEmpty());
}

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
