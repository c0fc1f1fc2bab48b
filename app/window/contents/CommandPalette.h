#pragma once

#include <QtCore/QString>
#include <QtWidgets/QDialog>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace softscope {

/// Something that the palette does when it is chosen.
struct PaletteEntry {
  /// `Layer block3.0`
  QString text;
  /// Muted, beside it: keys, or what it is.
  QString detail;
  std::function<void()> run;
};

/// The entries that have every word of `words`, in any order and case: those that begin with them
/// first, then those that have them at the beginning of a word, each in the order they came in.
std::vector<PaletteEntry> matchingEntries(const std::vector<PaletteEntry>& entries,
                                          const QString& words);

/// A line to type into, and what can be done that has these words; Enter does the chosen one.
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

}  // namespace softscope
