#pragma once

#include <QtCore/QString>
#include <QtCore/QVariant>
#include <QtWidgets/QWidget>

namespace softscope {

// Tool tips that end with the keyboard shortcut of a menu action. Users may change shortcuts, so a
// widget only names the action, and the window appends the shortcut before it shows the tip.

inline constexpr const char* keyTipText = "tip";
inline constexpr const char* keyTipAction = "keysOf";

/// Gives `widget` a tip that ends with the shortcut of `action`, the QAction's object name.
inline void setKeyTip(QWidget& widget, const QString& tip, const char* action) {
  widget.setToolTip(tip);
  widget.setProperty(keyTipText, tip);
  widget.setProperty(keyTipAction, QLatin1String(action));
}

}  // namespace softscope
