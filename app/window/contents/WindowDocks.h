#pragma once

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

 private:
  /// Whether model, layers and view can stand below one another.
  bool fitColumn() const;
  QDockWidget* add(const char* name, const QString& title, QWidget* content,
                   Qt::DockWidgetArea area, QMenu& menu);

  QMainWindow& window_;
  QDockWidget* picture_;
  QDockWidget* predictions_;
  QDockWidget* model_;
  QDockWidget* layers_;
  QDockWidget* view_;
};

}  // namespace softscope
