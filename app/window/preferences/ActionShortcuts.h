#pragma once

#include <QtCore/QList>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtGui/QKeySequence>

#include <optional>
#include <vector>

class QAction;
class QMenu;
class QMenuBar;
class QSettings;

namespace softscope {

class ActionShortcuts;

/// Appends an action's present keys to every tool tip that names the action (see setKeyTip()).
class ShortcutTips : public QObject {
 public:
  explicit ShortcutTips(const ActionShortcuts& shortcuts, QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  const ActionShortcuts& shortcuts_;
};

/// An action of the menus whose keys can be chosen.
struct ActionWithKeys {
  QAction* action = nullptr;
  /// The menu that contains the action, after its parent menu if there is one: `View: Theme`.
  QString menu;
  /// The action's text outside its menu: `Open picture`.
  QString name;
  QList<QKeySequence> byDefault;

  QList<QKeySequence> keys() const;
  /// Returns the keys as the platform writes them, separated by commas; empty if there are none.
  QString keysText() const;
  bool hasDefaultKeys() const { return keys() == byDefault; }
};

/// The default and chosen keys of every action of a window's menus that has an object name. No keys
/// ever trigger two actions.
class ActionShortcuts : public QObject {
  Q_OBJECT

 public:
  /// Collects the actions that the menus have at this moment, with their default keys.
  explicit ActionShortcuts(const QMenuBar& menus, QObject* parent = nullptr);

  const std::vector<ActionWithKeys>& actions() const { return actions_; }
  /// Returns the action with that object name; null if there is none.
  const ActionWithKeys* find(const QString& objectName) const;

  /// Returns a sentence that says why no action can have such keys; empty if one can.
  static QString refusalOf(const QKeySequence& keys);
  /// Returns the index of the other action that has these keys; empty if there is none.
  std::optional<std::size_t> ownerOf(const QKeySequence& keys, std::size_t otherThan) const;
  /// Returns the index of the other action that has one of an action's default keys; empty if there
  /// is none.
  std::optional<std::size_t> ownerOfDefault(std::size_t action) const;

  /// Makes `keys` the only shortcut of an action. If another action had `keys`, it gets the
  /// previous keys of this action in exchange.
  void assign(std::size_t action, const QKeySequence& keys);
  void remove(std::size_t action);
  /// Gives an action its default keys back; another action that has them loses them.
  void reset(std::size_t action);
  void resetAll();

  /// Reads the chosen keys. Unknown actions, impossible keys, and keys that another action already
  /// has are skipped.
  void read(const QSettings& file);
  /// Writes the keys that differ from the default ones, and nothing else.
  void write(QSettings& file) const;

 Q_SIGNALS:
  void changed();

 private:
  void collect(const QMenu& menu, const QString& title);
  void takeFrom(std::size_t action, const QKeySequence& keys);

  std::vector<ActionWithKeys> actions_;
};

}  // namespace softscope
