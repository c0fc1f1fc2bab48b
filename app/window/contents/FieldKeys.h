#pragma once

#include <QtCore/QObject>

#include <functional>

class QKeyEvent;
class QWidget;

namespace softscope {

/// Lets the keyboard leave a window's fields of text and numbers: Return enters what was typed and
/// Escape takes it back, and both give the keys to the page. While a field has them, the window's
/// own keys with Ctrl or Alt act all the same, except those that edit text everywhere.
class FieldKeys : public QObject {
  Q_OBJECT

 public:
  /// `leave` gives the keys to the page.
  FieldKeys(QWidget& window, std::function<void()> leave);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// True if the keys are those of an action that is enabled, and not of editing.
  bool isOfAction(const QKeyEvent& event) const;
  void leaveLater();

  QWidget& window_;
  std::function<void()> leave_;
};

}  // namespace softscope
