#pragma once

#include <QtCore/QObject>
#include <QtCore/QSize>
#include <QtCore/QStringList>
#include <QtWidgets/QDockWidget>

#include <functional>
#include <vector>

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
  /// Rearranges the docks if the font has become too large for docks in a column, or small enough
  /// again.
  void fitLetters();
  /// Adapts the docks to a resize; `before` is the window's previous size. Docks get the width that
  /// they have in a new window of that size; if the user chose their widths, only when the window
  /// becomes narrow, or is no longer. The right docks become tabs if a column no longer fits, and a
  /// column again once it does; predictions keep their rows. Docks that the user moved stay where
  /// they are.
  void fitWindow(const QSize& before);

  /// Returns names of the sizes that the user has dragged, which are then not fitted any more:
  /// `widths`, `picture` for its height, `controls` for the heights on the right. All count as
  /// dragged until arrange() or setDragged() says otherwise.
  QStringList dragged() const;
  void setDragged(const QStringList& names);

  /// True if the right docks are tabs only because a column did not fit; they become a column again
  /// once it does.
  bool areStackedForRoom() const { return stackedForRoom_; }
  void setStackedForRoom(bool stacked);

 private:
  static bool isNarrow(const QSize& size);
  /// Returns those of model, layers and view that the user has not closed.
  std::vector<QDockWidget*> openControls() const;
  /// True if the open ones of model, layers and view fit below one another.
  bool fitColumn() const;
  /// Returns the height that docks in the column on the right have together.
  int roomOfColumn() const;
  /// True if the open ones of model, layers and view are below one another.
  bool standInColumn() const;
  /// Turns model, layers and view into tabs.
  void stack();
  /// Makes tabs of the column of controls where it has too little room, and a column of such tabs
  /// where it has enough.
  void fitStack();
  /// Puts model, layers and view below one another, or turns them into tabs if they do not fit.
  void arrangeColumn();
  /// Turns tabs into a column again if they are tabs for want of room, and there is room now.
  void unstackIfRoom();
  /// Divides the width between the docks and the pages.
  void shareWidth();
  /// Gives the picture the height that it needs at its width, and its predictions what is left; the
  /// predictions keep their rows.
  void shareHeight();
  /// True if the picture and its predictions are both shown on the left.
  bool standOnTheLeft() const;
  /// Divides the height anew for another picture, unless the user has divided it.
  void fitPicture();
  /// Gives the docks of the model and the view the height that their rows need, and the layers what
  /// is left, unless the user chose another height.
  void fitControls();
  /// Gives model and view the height that their rows need, and the layers what is left; the last
  /// dock where the layers are closed.
  void shareColumn();
  /// Fits the heights once the docks have their widths.
  void fitHeightsLater();
  void noteDragged(Qt::Orientations changed, const QString& height);
  QDockWidget* add(const char* name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area, QMenu& menu);

  /// The context of calls, which must not come when only the docks are left: these go with the
  /// window.
  QObject lifetime_;
  QMainWindow& window_;
  QDockWidget* picture_;
  QDockWidget* predictions_;
  QDockWidget* model_;
  QDockWidget* layers_;
  QDockWidget* view_;
  std::function<int(int width)> pictureHeight_;
  QStringList dragged_;
  /// See areStackedForRoom().
  bool stackedForRoom_ = false;
};

}  // namespace softscope
