#pragma once

#include <QtCore/QSize>
#include <QtWidgets/QDockWidget>

#include <functional>

class QMainWindow;
class QMenu;

namespace softscope {

/// The widgets in the docks around the pages.
struct DockContents {
  QWidget* picture;
  QWidget* predictions;
  QWidget* model;
  QWidget* layers;
  QWidget* view;
  /// Returns the height at which `picture` shows the whole picture at a width; 0 if there is none.
  std::function<int(int width)> pictureHeight;
};

/// The docks: the picture and its predictions on the left; model, layers and view on the right.
class WindowDocks {
 public:
  /// Adds an action that shows and hides each dock to `menu`.
  WindowDocks(QMainWindow& window, const DockContents& contents, QMenu& menu);

  /// Puts every dock back where it is in a new window of this size.
  void arrange();
  /// Rearranges the docks if the font has become too large for docks in a column.
  void fitLetters();
  /// Adapts the docks to a resize; `before` is the window's previous size. When the window becomes
  /// narrow, or is no longer, docks get the width they have in a new window. The right docks become
  /// tabs if a column no longer fits, and a column again once it does; predictions keep their rows.
  /// Docks that the user moved stay where they are.
  void fitWindow(const QSize& before);

 private:
  static bool isNarrow(const QSize& size);
  /// True if model, layers and view fit below one another.
  bool fitColumn() const;
  /// True if model, layers and view are below one another.
  bool standInColumn() const;
  /// Turns model, layers and view into tabs.
  void stack();
  /// Puts model, layers and view below one another, or turns them into tabs if they do not fit.
  void arrangeColumn();
  /// Divides the width between the docks and the pages.
  void shareWidth();
  /// Gives the picture the height that it needs at its width, and its predictions what is left; the
  /// predictions keep their rows.
  void shareHeight();
  /// True if the picture and its predictions are both shown on the left.
  bool standOnTheLeft() const;
  /// Divides the height anew for another picture, unless the user has divided it.
  void fitPicture();
  /// Gives the model's dock the height that its rows need, and the layers what is left, unless the
  /// user chose another height.
  void fitModel();
  QDockWidget* add(const char* name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area, QMenu& menu);

  QMainWindow& window_;
  QDockWidget* picture_;
  QDockWidget* predictions_;
  QDockWidget* model_;
  QDockWidget* layers_;
  QDockWidget* view_;
  std::function<int(int width)> pictureHeight_;
  /// True if the height of the picture's dock is the user's choice, in this run or an earlier one.
  bool isHeightChosen_ = true;
  /// The height of the model's dock when its rows were last given the room that they need.
  int modelHeight_ = 0;
  /// True if the docks are tabs only because a column did not fit.
  bool stackedForRoom_ = false;
};

}  // namespace softscope
