#include "app/window/contents/FieldKeys.h"

#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

/// Returns the line that is edited in a field; null if the widget is no field.
QLineEdit* editedLine(QWidget* widget) {
  if (auto* line = qobject_cast<QLineEdit*>(widget)) return line;
  if (const auto* combo = qobject_cast<QComboBox*>(widget)) return combo->lineEdit();
  // The line of a number is protected, but a child.
  auto* number = qobject_cast<QAbstractSpinBox*>(widget);
  return number ? number->findChild<QLineEdit*>() : nullptr;
}

/// Takes back what was typed and not entered.
void takeBack(QLineEdit& line) {
  auto* number = qobject_cast<QSpinBox*>(line.parentWidget());
  if (number) {
    number->setValue(number->value());
    return;
  }
  if (!line.isModified()) return;
  if (auto* choice = qobject_cast<QComboBox*>(line.parentWidget())) {
    // Completing what was typed has ended what can be undone.
    choice->setEditText(choice->itemText(choice->currentIndex()));
    line.setModified(false);
    return;
  }
  while (line.isUndoAvailable()) line.undo();
  line.setModified(false);
}

bool isOfEditing(const QKeyEvent& event) {
  constexpr QKeySequence::StandardKey editing[] = {QKeySequence::Copy,  QKeySequence::Cut,
                                                   QKeySequence::Paste, QKeySequence::Undo,
                                                   QKeySequence::Redo,  QKeySequence::SelectAll};
  return std::ranges::any_of(editing, [&event](QKeySequence::StandardKey key) {
    return QKeySequence::keyBindings(key).contains(QKeySequence(event.keyCombination()));
  });
}

bool isLetterOrDigit(int key) {
  return (key >= Qt::Key_A && key <= Qt::Key_Z) || (key >= Qt::Key_0 && key <= Qt::Key_9);
}

}  // namespace

FieldKeys::FieldKeys(QWidget& window, std::function<void()> leave)
    : QObject(&window), window_(window), leave_(std::move(leave)) {
  // Fields come and go with what is open.
  qApp->installEventFilter(this);
}

bool FieldKeys::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride) return false;
  auto* widget = qobject_cast<QWidget*>(watched);
  QLineEdit* line = widget && widget->window() == &window_ ? editedLine(widget) : nullptr;
  if (!line) return false;
  const auto& keys = static_cast<const QKeyEvent&>(*event);
  if (event->type() == QEvent::ShortcutOverride) {
    if (keys.key() == Qt::Key_Escape) {
      // The field is left before the window's own action for this key can act.
      event->accept();
      return true;
    }
    if (!isOfAction(keys)) return false;
    event->ignore();
    return true;
  }
  if (keys.key() == Qt::Key_Escape) {
    takeBack(*line);
    leaveLater();
    return true;
  }
  if (keys.key() == Qt::Key_Return || keys.key() == Qt::Key_Enter) leaveLater();
  return false;
}

bool FieldKeys::isOfAction(const QKeyEvent& event) const {
  if (!(event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))) return false;
  if (!isLetterOrDigit(event.key()) || isOfEditing(event)) return false;
  const QKeySequence keys(event.keyCombination());
  const QList<QAction*> actions = window_.findChildren<QAction*>();
  return std::ranges::any_of(actions, [&keys](const QAction* action) {
    return action->isEnabled() && action->shortcuts().contains(keys);
  });
}

void FieldKeys::leaveLater() {
  // The field takes Return first, and enters the typed text.
  QTimer::singleShot(0, this, [this] {
    if (editedLine(window_.focusWidget())) leave_();
  });
}

}  // namespace softscope
