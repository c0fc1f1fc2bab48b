#pragma once

#include "app/window/settings/WindowSettings.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

class QMainWindow;

namespace softscope {

/// The window's size, place and panels as they were left, and all else that is kept between starts.
/// It is written soon after it changes, so that a window that is killed has lost nothing of it.
class RememberedWindow : public QObject {
  Q_OBJECT

 public:
  /// `settings` are as they stand in the file; the window outlives this.
  RememberedWindow(QMainWindow& window, const WindowSettings& settings, QObject* parent = nullptr);

  void restoreSize();
  /// Returns false where no panels are remembered, or none that this window has. For when the
  /// window has its size, which sizes of panels depend on.
  bool restorePanels();
  /// Asks for due() soon; whoever changes what is remembered calls it. Moved and resized windows
  /// and panels, which are there from the first call on, do it by themselves.
  void noteChange();
  /// Writes what has changed of `settings`, and of the window, since it was last written. What did
  /// not change here stays as another window wrote it.
  void write(WindowSettings settings);

 Q_SIGNALS:
  /// It is time to write().
  void due();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void watchPanels();

  QMainWindow& window_;
  /// As the file has it.
  WindowSettings written_;
  QTimer timer_;
};

}  // namespace softscope
