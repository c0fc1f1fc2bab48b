#include "widgets/controls/LongToolTips.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QTextDocument>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QWidget>

namespace softscope {

bool LongToolTips::eventFilter(QObject* watched, QEvent* event) {
  constexpr int longestLine = 72;
  auto* widget = event->type() == QEvent::ToolTip ? qobject_cast<QWidget*>(watched) : nullptr;
  if (!widget || widget->toolTip().size() <= longestLine ||
      Qt::mightBeRichText(widget->toolTip())) {
    return QObject::eventFilter(watched, event);
  }
  // Qt breaks lines of rich text alone.
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                     Qt::convertFromPlainText(widget->toolTip(), Qt::WhiteSpaceNormal), widget);
  return true;
}

}  // namespace softscope
