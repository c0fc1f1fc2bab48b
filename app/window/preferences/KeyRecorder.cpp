#include "app/window/preferences/KeyRecorder.h"

#include <QtGui/QAccessible>
#include <QtGui/QAction>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace softscope {
namespace {

bool isModifier(int key) {
  return key == Qt::Key_Control || key == Qt::Key_Shift || key == Qt::Key_Alt ||
         key == Qt::Key_Meta || key == Qt::Key_AltGr || key == Qt::Key_Super_L ||
         key == Qt::Key_Super_R || key == Qt::Key_CapsLock || key == Qt::Key_NumLock;
}

/// Returns the keys as a shortcut: Shift is dropped if it is only needed to type the character, as
/// for `+` on some keyboards.
QKeySequence keysOf(const QKeyEvent& event) {
  Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const QString text = event.text();
  const bool typesSymbol = !text.isEmpty() && text.at(0).isPrint() &&
                           !text.at(0).isLetterOrNumber() && !text.at(0).isSpace();
  if (typesSymbol) modifiers &= ~Qt::ShiftModifier;
  return QKeySequence(QKeyCombination(modifiers, static_cast<Qt::Key>(event.key())));
}

}  // namespace

KeyRecorder::KeyRecorder(ActionShortcuts& shortcuts, std::size_t action, QWidget* parent)
    : QDialog(parent),
      shortcuts_(shortcuts),
      action_(action),
      pressed_(new QLabel),
      answer_(new QLabel),
      swap_(new QPushButton(tr("Swap"))) {
  const ActionWithKeys& known = shortcuts.actions()[action];
  setWindowTitle(tr("Keys of “%1”").arg(known.name));
  setAccessibleName(windowTitle());
  const QString has = known.keysText();
  auto* request = new QLabel(tr("Press the keys for “%1”.").arg(known.name));
  request->setAccessibleName(windowTitle());
  QFont large = font();
  large.setPointSizeF(large.pointSizeF() * 1.5);
  pressed_->setFont(large);
  pressed_->setAlignment(Qt::AlignCenter);
  pressed_->setText(has.isEmpty() ? tr("none yet") : has);
  pressed_->setForegroundRole(QPalette::PlaceholderText);
  pressed_->setAccessibleName(tr("Keys"));
  answer_->setWordWrap(true);
  answer_->setAccessibleName(tr("Whether these keys are free"));
  answer_->setMinimumHeight(3 * fontMetrics().lineSpacing());
  answer_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  answer_->setText(tr("Esc leaves them as they are."));
  auto* buttons = new QDialogButtonBox;
  buttons->addButton(swap_, QDialogButtonBox::ActionRole);
  QPushButton* cancel = buttons->addButton(QDialogButtonBox::Cancel);
  // Every key except Enter and Esc is recorded, so no key may press a button. No button is the
  // default either: the dialog behind would also press its default button with the Enter that
  // opened this one.
  for (QPushButton* button : {swap_, cancel}) {
    button->setFocusPolicy(Qt::NoFocus);
    button->setAutoDefault(false);
  }
  swap_->setAccessibleName(tr("Swap the keys of both"));
  cancel->setAccessibleName(tr("Cancel"));
  swap_->setEnabled(false);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 16, 18, 14);
  column->setSpacing(12);
  column->addWidget(request);
  column->addWidget(pressed_);
  column->addWidget(answer_);
  column->addWidget(buttons);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumWidth(24 * fontMetrics().averageCharWidth() * 2);
  connect(swap_, &QPushButton::clicked, this, &KeyRecorder::take);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
}

bool KeyRecorder::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // Take these keys even if they are shortcuts elsewhere.
    event->accept();
    return true;
  }
  if (event->type() == QEvent::KeyPress) {
    // Includes Tab, which would otherwise move to the next control.
    keyPressEvent(static_cast<QKeyEvent*>(event));
    return true;
  }
  return QDialog::event(event);
}

void KeyRecorder::keyPressEvent(QKeyEvent* event) {
  const bool isPlain = event->modifiers() == Qt::NoModifier;
  const bool isEnter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (isPlain && event->key() == Qt::Key_Escape) {
    reject();
  } else if (isEnter && swap_->isEnabled()) {
    take();
  } else if (!isModifier(event->key()) && event->key() != 0) {
    offer(keysOf(*event));
  }
}

void KeyRecorder::offer(const QKeySequence& keys) {
  keys_ = keys;
  pressed_->setText(keys.toString(QKeySequence::NativeText));
  pressed_->setForegroundRole(QPalette::WindowText);
  swap_->setEnabled(false);
  const QString refusal = ActionShortcuts::refusalOf(keys);
  if (!refusal.isEmpty()) {
    tell(refusal + u'.');
    return;
  }
  const auto owner = shortcuts_.ownerOf(keys, action_);
  if (!owner) {
    take();
    return;
  }
  const ActionWithKeys& other = shortcuts_.actions()[*owner];
  const QString gets = shortcuts_.actions()[action_].keysText();
  tell(gets.isEmpty()
           ? tr("They belong to “%1”, which would have none. Swap takes them from there; other "
                "keys can be pressed instead.")
                 .arg(other.name)
           : tr("They belong to “%1”, which would get %2. Swap does that; other keys can be "
                "pressed instead.")
                 .arg(other.name, gets));
  swap_->setEnabled(true);
}

void KeyRecorder::tell(const QString& text) {
  answer_->setText(text);
  QAccessibleEvent said(answer_, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&said);
}

void KeyRecorder::take() {
  shortcuts_.assign(action_, keys_);
  accept();
}

}  // namespace softscope
