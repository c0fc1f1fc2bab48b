#pragma once

#include <QtCore/QSize>
#include <QtWidgets/QDockWidget>

class QMainWindow;
class QMenu;

namespace softscope {

/// What the docks around the heads hold.
struct DockContents {
  QWidget* picture;
  QWidget* predictions;
  QWidget* model;
  QWidget* layers;
  QWidget* view;
};

/// The docks: the picture and its predictions on the left; model, layers and view on the right.
class WindowDocks {
 public:
  /// Adds a switch for each dock to `menu`.
  WindowDocks(QMainWindow& window, const DockContents& contents, QMenu& menu);

  /// Puts every dock back to where it is in a new window of this size.
  void arrange();
  /// The same where letters have grown too large for the docks that stand in a column.
  void fitLetters();
  /// After the window had the size `before`: where it has become narrow, or is no longer, docks are
  /// as wide as in a new one; those on the right become tabs where a column has no room any more,
  /// and a column again where it has; predictions keep their rows. Docks that were put elsewhere by
  /// hand stay.
  void fitWindow(const QSize& before);

 private:
  static bool isNarrow(const QSize& size);
  /// Whether model, layers and view can stand below one another.
  bool fitColumn() const;
  /// Whether they do.
  bool standInColumn() const;
  /// Makes tabs of them.
  void stack();
  /// Puts them below one another, or makes tabs of them where they do not fit.
  void arrangeColumn();
  /// Between the docks and the pages.
  void shareWidth();
  /// Between the picture and its predictions.
  void shareHeight();
  QDockWidget* add(const char* name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area, QMenu& menu);

  QMainWindow& window_;
  QDockWidget* picture_;
  QDockWidget* predictions_;
  QDockWidget* model_;
  QDockWidget* layers_;
  QDockWidget* view_;
  /// They are tabs only because a column had no room.
  bool stackedForRoom_ = false;
};

}  // namespace softscope
