#include "app/window/preferences/ShortcutTips.h"

#include "app/window/preferences/ActionShortcuts.h"
#include "widgets/controls/KeyTip.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>

namespace softscope {

ShortcutTips::ShortcutTips(const ActionShortcuts& shortcuts, QObject* parent)
    : QObject(parent), shortcuts_(shortcuts) {
  QCoreApplication::instance()->installEventFilter(this);
}

bool ShortcutTips::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ToolTip) return false;
  auto* widget = qobject_cast<QWidget*>(watched);
  const QVariant action = widget ? widget->property(keyTipAction) : QVariant();
  if (!action.isValid()) return false;
  const ActionWithKeys* known = shortcuts_.find(action.toString());
  const QString keys = known ? known->keysText() : QString();
  const QString tip = widget->property(keyTipText).toString();
  widget->setToolTip(keys.isEmpty() ? tip : tip + QStringLiteral("  ") + keys);
  return false;
}

}  // namespace softscope
