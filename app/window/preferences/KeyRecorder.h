#pragma once

#include "app/window/preferences/ActionShortcuts.h"

#include <QtGui/QKeySequence>
#include <QtWidgets/QDialog>

class QLabel;
class QPushButton;

namespace softscope {

/// Asks for the keys of an action: the next ones pressed. Unused keys are taken at once; if another
/// action has them, says so and offers to swap the keys of the two.
class KeyRecorder : public QDialog {
  Q_OBJECT

 public:
  KeyRecorder(ActionShortcuts& shortcuts, std::size_t action, QWidget* parent = nullptr);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void offer(const QKeySequence& keys);
  void take();
  void tell(const QString& text);

  ActionShortcuts& shortcuts_;
  std::size_t action_;
  QKeySequence keys_;
  QLabel* pressed_;
  QLabel* answer_;
  QPushButton* swap_;
};

}  // namespace softscope
