#pragma once

#include "app/window/settings/WindowSettings.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

class QMainWindow;

namespace softscope {

class Workspace;
struct WindowOptions;

/// Restores how heads were shown last time. Command-line options apply to this run only: a value
/// that still equals its option at the end is not remembered, and the previous value is kept.
class RememberedView {
 public:
  /// Changes `settings` to those of this run; both arguments must outlive this object.
  RememberedView(const WindowOptions& options, WindowSettings& settings);

  void restore(Workspace& workspace) const;
  /// Returns the settings to remember.
  WindowSettings remembered(const Workspace& workspace) const;

 private:
  const WindowOptions& options_;
  WindowSettings& settings_;
  /// The settings before the command line was applied.
  WindowSettings before_;
};

/// The window's size, place and panels as they were left, and everything else that is kept between
/// starts. It is written soon after it changes, so that a killed window loses nothing of it.
class RememberedWindow : public QObject {
  Q_OBJECT

 public:
  /// `settings` are those of the file; the window must outlive this object.
  RememberedWindow(QMainWindow& window, const WindowSettings& settings, QObject* parent = nullptr);

  void restoreSize();
  /// Returns false if no panels are remembered, or none that this window has. Call it once the
  /// window has its size, which the sizes of panels depend on.
  bool restorePanels();
  /// Asks for due() soon; call it when something remembered changes. From the first call on, moving
  /// and resizing the window and its panels is noticed automatically.
  void noteChange();
  /// Writes the changes to `settings` and to the window since the last write. Values that did not
  /// change here stay as another window wrote them.
  void write(WindowSettings settings);

 Q_SIGNALS:
  /// Something that is remembered has changed, and write() should be called.
  void due();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void watchPanels();

  QMainWindow& window_;
  /// The settings as they are in the file.
  WindowSettings written_;
  QTimer timer_;
};

}  // namespace softscope
