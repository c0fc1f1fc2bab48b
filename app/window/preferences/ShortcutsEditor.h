#pragma once

#include "app/window/preferences/ActionShortcuts.h"

#include <QtGui/QKeySequence>
#include <QtWidgets/QDialog>
#include <QtWidgets/QWidget>

#include <cstddef>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace softscope {

class ActionShortcuts;

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

/// A searchable list of all menu actions and their keys, in which keys can be changed.
class ShortcutsEditor : public QWidget {
  Q_OBJECT

 public:
  explicit ShortcutsEditor(ActionShortcuts& shortcuts, QWidget* parent = nullptr);

 private:
  QWidget* makeButtons();
  void fill();
  void showKeys();
  void showButtons();
  void filter(const QString& words);
  void record(QTreeWidgetItem* item);
  void resetChosen();
  void resetAll();

  ActionShortcuts& shortcuts_;
  QLineEdit* words_;
  QTreeWidget* list_;
  QLabel* nothing_;
  QPushButton* change_;
  QPushButton* remove_;
  QPushButton* reset_;
  QPushButton* resetAll_;
};

}  // namespace softscope
