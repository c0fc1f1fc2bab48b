#pragma once

#include <QtCore/QObject>

#include <functional>

class QDockWidget;
class QMainWindow;
class QWidget;

namespace softscope {

/// Lets the keyboard act only on docks that are seen. Docks behind the tab in front are shown to Qt
/// and keep their places in the order of the Tab key: one that is reached so comes to the front.
class DockKeys : public QObject {
  Q_OBJECT

 public:
  /// Watches the docks that the window has now. `leave` gives the keys to the page when the dock
  /// that had them goes behind another.
  DockKeys(QMainWindow& window, std::function<void()> leave);

 private:
  /// Brings what has the focus into sight.
  void show(QWidget* focus);
  void leaveIfHidden(const QDockWidget& dock);

  QMainWindow& window_;
  std::function<void()> leave_;
};

}  // namespace softscope
