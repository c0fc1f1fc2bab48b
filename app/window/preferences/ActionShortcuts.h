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

/// An action of the menus whose keys can be chosen.
struct ActionWithKeys {
  QAction* action = nullptr;
  /// The menu it is in, and that one's where it is in another: `View: Theme`.
  QString menu;
  /// `Open picture`
  QString name;
  QList<QKeySequence> byDefault;

  QList<QKeySequence> keys() const;
  /// As the platform writes them, a comma between; empty without any.
  QString keysText() const;
  bool hasDefaultKeys() const { return keys() == byDefault; }
};

/// The keys of every action of a window's menus that has a name of its own: what they were at
/// first, and what the user made of them. No keys ever mean two things.
class ActionShortcuts : public QObject {
  Q_OBJECT

 public:
  /// What the menus have at this moment, with the keys they have by default.
  explicit ActionShortcuts(const QMenuBar& menus, QObject* parent = nullptr);

  const std::vector<ActionWithKeys>& actions() const { return actions_; }
  /// The action with that object name; null without one.
  const ActionWithKeys* find(const QString& objectName) const;

  /// Why no action can have such keys, in a sentence; empty where one can.
  static QString refusalOf(const QKeySequence& keys);
  /// The other action that has the keys, or nothing.
  std::optional<std::size_t> ownerOf(const QKeySequence& keys, std::size_t otherThan) const;
  /// The other action that has one of the keys that are an action's by default, or nothing.
  std::optional<std::size_t> ownerOfDefault(std::size_t action) const;

  /// Gives an action these keys and no others; who had them gets what it had before.
  void assign(std::size_t action, const QKeySequence& keys);
  void remove(std::size_t action);
  /// Gives an action what it had by default; who has that loses it.
  void reset(std::size_t action);
  void resetAll();

  /// Takes what was chosen, as far as it can be had: unknown actions, keys that none can have, and
  /// those that another one has already are passed over.
  void read(const QSettings& file);
  /// Writes what is not as by default, and nothing else.
  void write(QSettings& file) const;

 Q_SIGNALS:
  void changed();

 private:
  void collect(const QMenu& menu, const QString& title);
  void takeFrom(std::size_t action, const QKeySequence& keys);

  std::vector<ActionWithKeys> actions_;
};

}  // namespace softscope
