#include "app/window/preferences/ActionShortcuts.h"

#include "widgets/controls/NameText.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QSettings>
#include <QtGui/QAction>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

#include <algorithm>

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

namespace {

const QString shortcutGroup = QStringLiteral("shortcuts/");
constexpr qsizetype mostKeysOfAction = 4;
constexpr qsizetype longestKeysText = 64;

/// True for keys that controls, lists and the query use themselves.
bool belongsToControls(Qt::Key key) {
  switch (key) {
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Backspace:
    case Qt::Key_Delete:
      return true;
    default:
      return false;
  }
}

/// Returns the keys that a file has for an action. An empty list is a choice, too; invalid text is
/// not, and gives an empty optional.
std::optional<QList<QKeySequence>> chosenKeys(const QSettings& file, const QString& action) {
  const QString key = shortcutGroup + action;
  if (!file.contains(key)) return std::nullopt;
  const QVariant value = file.value(key);
  // QSettings writes an empty list as nothing, and a list with a single text as that text.
  const int type = value.typeId();
  const bool isList = type == QMetaType::QStringList || type == QMetaType::QString;
  if (value.isValid() && !isList) return std::nullopt;
  const QStringList texts = value.toStringList();
  QList<QKeySequence> keys;
  for (const QString& text : texts.mid(0, mostKeysOfAction)) {
    if (text.isEmpty() || text.size() > longestKeysText) continue;
    const QKeySequence read = QKeySequence::fromString(text, QKeySequence::PortableText);
    if (ActionShortcuts::refusalOf(read).isEmpty() && !keys.contains(read)) keys += read;
  }
  if (keys.isEmpty() && !texts.join(QString()).isEmpty()) return std::nullopt;
  return keys;
}

}  // namespace

QList<QKeySequence> ActionWithKeys::keys() const {
  return action->shortcuts();
}

QString ActionWithKeys::keysText() const {
  return QKeySequence::listToString(keys(), QKeySequence::NativeText)
      .replace(QStringLiteral("; "), QStringLiteral(", "));
}

ActionShortcuts::ActionShortcuts(const QMenuBar& menus, QObject* parent) : QObject(parent) {
  for (const QAction* top : menus.actions()) {
    if (top->menu()) collect(*top->menu(), menuText(top->text()));
  }
}

void ActionShortcuts::collect(const QMenu& menu, const QString& title) {
  for (QAction* action : menu.actions()) {
    if (action->menu()) {
      collect(*action->menu(), title + QStringLiteral(": ") + menuText(action->text()));
    } else if (!action->isSeparator() && !action->objectName().isEmpty()) {
      actions_.push_back({action, title, menuText(action->text()), action->shortcuts()});
    }
  }
}

const ActionWithKeys* ActionShortcuts::find(const QString& objectName) const {
  const auto found = std::find_if(
      actions_.begin(), actions_.end(),
      [&](const ActionWithKeys& known) { return known.action->objectName() == objectName; });
  return found == actions_.end() ? nullptr : &*found;
}

QString ActionShortcuts::refusalOf(const QKeySequence& keys) {
  const QString text = keys.toString(QKeySequence::NativeText);
  if (keys.count() != 1 || keys[0].key() == Qt::Key_unknown || text.isEmpty()) {
    return tr("That is no key that an action can have; press another one");
  }
  const Qt::KeyboardModifiers modifiers = keys[0].keyboardModifiers();
  const bool isPlain = (modifiers & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
  if (isPlain && belongsToControls(keys[0].key())) {
    return tr("%1 moves the query or works the controls; press other keys").arg(text);
  }
  const bool isLetter = keys[0].key() >= Qt::Key_A && keys[0].key() <= Qt::Key_Z;
  if (modifiers == Qt::AltModifier && isLetter) {
    return tr("Alt and a letter opens a menu; press other keys");
  }
  return {};
}

std::optional<std::size_t> ActionShortcuts::ownerOf(const QKeySequence& keys,
                                                    std::size_t otherThan) const {
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (i != otherThan && actions_[i].keys().contains(keys)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> ActionShortcuts::ownerOfDefault(std::size_t action) const {
  for (const QKeySequence& keys : actions_[action].byDefault) {
    if (const auto owner = ownerOf(keys, action)) return owner;
  }
  return std::nullopt;
}

void ActionShortcuts::takeFrom(std::size_t action, const QKeySequence& keys) {
  QList<QKeySequence> left = actions_[action].keys();
  left.removeAll(keys);
  actions_[action].action->setShortcuts(left);
}

void ActionShortcuts::assign(std::size_t action, const QKeySequence& keys) {
  const QList<QKeySequence> before = actions_[action].keys();
  if (const auto owner = ownerOf(keys, action)) {
    takeFrom(*owner, keys);
    actions_[*owner].action->setShortcuts(before + actions_[*owner].keys());
  }
  actions_[action].action->setShortcuts({keys});
  Q_EMIT changed();
}

void ActionShortcuts::remove(std::size_t action) {
  actions_[action].action->setShortcuts(QList<QKeySequence>());
  Q_EMIT changed();
}

void ActionShortcuts::reset(std::size_t action) {
  for (const QKeySequence& keys : actions_[action].byDefault) {
    if (const auto owner = ownerOf(keys, action)) takeFrom(*owner, keys);
  }
  actions_[action].action->setShortcuts(actions_[action].byDefault);
  Q_EMIT changed();
}

void ActionShortcuts::resetAll() {
  for (const ActionWithKeys& known : actions_) known.action->setShortcuts(known.byDefault);
  Q_EMIT changed();
}

void ActionShortcuts::read(const QSettings& file) {
  std::vector<std::optional<QList<QKeySequence>>> chosen;
  for (const ActionWithKeys& known : actions_) {
    chosen.push_back(chosenKeys(file, known.action->objectName()));
    // Clears the default keys first, since they may have been given to another action.
    if (chosen.back()) known.action->setShortcuts(QList<QKeySequence>());
  }
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (!chosen[i]) continue;
    QList<QKeySequence> keys;
    for (const QKeySequence& wanted : *chosen[i]) {
      const auto owner = ownerOf(wanted, i);
      if (owner && chosen[*owner]) continue;
      // A user's choice takes precedence over the default of a newer program.
      if (owner) takeFrom(*owner, wanted);
      keys += wanted;
    }
    actions_[i].action->setShortcuts(keys);
  }
  Q_EMIT changed();
}

void ActionShortcuts::write(QSettings& file) const {
  for (const ActionWithKeys& known : actions_) {
    const QString key = shortcutGroup + known.action->objectName();
    if (known.hasDefaultKeys()) {
      file.remove(key);
      continue;
    }
    QStringList texts;
    for (const QKeySequence& keys : known.keys()) {
      texts += keys.toString(QKeySequence::PortableText);
    }
    // An empty list is read back as a list with one empty text.
    file.setValue(key, texts);
  }
}

}  // namespace softscope
