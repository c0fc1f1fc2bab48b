#pragma once

#include <QtCore/QObject>
#include <QtCore/QString>
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

/// Enables a control if `reason` is empty. Otherwise disables it, and its tip says why it is off
/// until it is enabled again. The control's own tip must not change meanwhile.
void enableFor(QWidget& control, const QString& reason);

/// Returns a text with line breaks in place of spaces, so that no line of several words is longer
/// than a tool tip should be. Tool tips are plain text, which Qt shows on one line, however long.
QString onLines(const QString& text);

/// Shows long tool tips of widgets in several lines. The tool tips themselves stay as they are,
/// since screen readers say them. Install it on the application as an event filter.
class LongToolTips : public QObject {
 public:
  using QObject::QObject;

  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace softscope
