#pragma once

#include <QtCore/QString>
#include <QtWidgets/QDialog>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;
class QMenuBar;

namespace softscope {

class Workspace;

/// An entry of the palette, and the function that runs when it is chosen.
struct PaletteEntry {
  /// The entry's text: `Layer block3.0`.
  QString text;
  /// Muted text beside it: the keys, or the kind of entry.
  QString detail;
  std::function<void()> run;
  /// Other words by which it is found: `eigenvalues` for the spectrum.
  QString otherWords = {};
};

/// Returns the entries that contain every word of `words`, in any order and case: first those that
/// begin with them, then those in which each begins a word, then the others, then those that have
/// them among their other words. If there are none, entries with words that differ in one letter,
/// or in two of a long word, are returned. Within each group the original order is kept.
std::vector<PaletteEntry> matchingEntries(const std::vector<PaletteEntry>& entries,
                                          const QString& words);

/// An input line with a list of the matching entries; Enter runs the selected one.
class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void showMatching(const QString& words);
  void runChosen();

  std::vector<PaletteEntry> entries_;
  std::vector<PaletteEntry> shown_;
  QLineEdit* words_;
  QListWidget* list_;
};

/// Returns everything that can be done at this moment: every enabled action of the menus, every
/// layer of the model in front, and every open model.
std::vector<PaletteEntry> paletteEntries(const QMenuBar& menus, Workspace& workspace);

}  // namespace softscope
