#pragma once

#include <QtWidgets/QWidget>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace softscope::test {

inline bool inheritsAny(const QWidget& widget, std::initializer_list<const char*> classes) {
  return std::ranges::any_of(classes, [&](const char* name) { return widget.inherits(name); });
}

/// Returns what a user operates below a widget, without parts of Qt's own controls, which speak
/// through those.
inline std::vector<const QWidget*> controlsBelow(const QWidget& widget) {
  std::vector<const QWidget*> controls;
  for (const QWidget* found : widget.findChildren<QWidget*>()) {
    const bool isControl =
        inheritsAny(*found, {"QAbstractButton", "QComboBox", "QAbstractSlider", "QAbstractSpinBox",
                             "QLineEdit", "QAbstractItemView", "QTabBar"});
    const bool isPart =
        found->objectName().startsWith(QLatin1String("qt_")) ||
        inheritsAny(*found, {"QScrollBar", "QDockWidgetTitleButton"}) ||
        inheritsAny(*found->parentWidget(), {"QComboBox", "QComboBoxPrivateContainer", "QLineEdit",
                                             "QAbstractSpinBox", "QTabBar", "QAbstractItemView"});
    if (isControl && !isPart) controls.push_back(found);
  }
  return controls;
}

}  // namespace softscope::test
