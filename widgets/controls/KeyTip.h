#pragma once

#include <QtCore/QString>
#include <QtCore/QVariant>
#include <QtWidgets/QWidget>

namespace softscope {

// Tool tips that end with the keys of an action of the menus, which a user may change: a widget
// says which action that is, and the window writes its keys behind the tip before it is shown.

inline constexpr const char* keyTipText = "tip";
inline constexpr const char* keyTipAction = "keysOf";

/// `action` is the QAction's object name.
inline void setKeyTip(QWidget& widget, const QString& tip, const char* action) {
  widget.setToolTip(tip);
  widget.setProperty(keyTipText, tip);
  widget.setProperty(keyTipAction, QLatin1String(action));
}

}  // namespace softscope
