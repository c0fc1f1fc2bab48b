#pragma once

#include "widgets/pages/LibraryPage.h"

#include <QtCore/QPointer>
#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

#include <functional>
#include <vector>

class QMenu;
class QMouseEvent;
class QToolButton;

namespace softscope {

class FlowLayout;
class Workspace;

/// The open models as a row of chips above the pages, each with its mechanism, its name and the
/// colour of its curves; more than fit into two lines have numbers in place of names. A click shows
/// the model, a drag puts it elsewhere in the row, its menu closes, renames or silences it, and “+”
/// lists models to open beside: those in the box, recent ones and files.
class ModelChips : public QWidget {
  Q_OBJECT

 public:
  /// `library` returns the models in the box, `recent` the paths of those opened lately; both may
  /// be empty.
  ModelChips(Workspace& workspace, LibraryPage::Source library, std::function<QStringList()> recent,
             QWidget* parent = nullptr);

  /// Opens the list of models that can be opened beside those that are, at a place on the screen.
  void listModels(const QPoint& globalPlace);

 Q_SIGNALS:
  /// The user asked to open this model beside the others.
  void modelWanted(const QString& path);
  /// The user asked to choose a file to open beside the others.
  void fileWanted();
  /// The user asked to rename the model whose index is `model`.
  void renameWanted(int model);
  /// The user asked to name the classes of the model whose index is `model`.
  void classNamesWanted(int model);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// Follows a press on a chip; returns true for what belongs to a drag, which the chip is not to
  /// see.
  bool drag(QToolButton& chip, const QMouseEvent& event);
  /// Returns the index of the chip at a place on this widget; -1 if there is none.
  int chipAt(const QPoint& place) const;
  /// Draws the chip that a dragged one would take the place of as pressed; -1 for none.
  void markTarget(int index);
  void showModels();
  void addChip();
  /// Draws a chip; `color` is that of its curves, or invalid for a model that is left out.
  void drawChip(int index, const QString& text, const QColor& color);
  void fillMenu(QMenu& menu, int index);
  void addLibrary(QMenu& menu);

  Workspace& workspace_;
  LibraryPage::Source library_;
  std::function<QStringList()> recent_;
  std::vector<LibraryModel> inTheBox_;
  bool knowsLibrary_ = false;
  FlowLayout* flow_;
  std::vector<QToolButton*> chips_;
  QToolButton* add_;
  QPointer<QMenu> list_;
  /// Where the button was pressed on a chip, on the screen.
  QPoint pressedAt_;
  /// Index of the chip that is being dragged; -1 if there is none.
  int dragged_ = -1;
};

}  // namespace softscope
