#pragma once

#include <QtWidgets/QWidget>

#include <cstddef>

class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace softscope {

class ActionShortcuts;

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
