#pragma once

#include "app/window/preferences/PreferencesDialog.h"
#include "app/window/settings/WindowSettings.h"

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtGui/QFont>

class QMainWindow;

namespace softscope {

class ActionShortcuts;
class ThemeChoice;
class WindowActions;
class Workspace;
struct WindowOptions;

/// What the user prefers, in effect: for good in the settings, and for this run as the command line
/// says instead. It is written as soon as it changes.
class WindowPreferences : public QObject {
  Q_OBJECT

 public:
  /// Applies the looks at once: widgets ask for colours and letters when they are made.
  WindowPreferences(const WindowOptions& options, WindowSettings& settings,
                    const WindowActions& actions, Workspace& workspace, QObject* parent = nullptr);
  /// Gives the application the system's letters back.
  ~WindowPreferences() override;

  /// Says what of it cannot be had here.
  void tellMissing();
  /// Says that what was chosen could not be written: a full disk, a folder that is gone.
  void tellNotKept();
  void openDialog(QMainWindow& window, ActionShortcuts& shortcuts, PreferencesDialog::Part part);

 Q_SIGNALS:
  void looksChanged();
  void lettersChanged();
  void autosaveChanged(int seconds);
  void said(const QString& message);

 private:
  void choose(const Preferences& preferences);
  void chooseCompute(const ComputeSettings& compute);
  void keep();
  void applyTextSize();
  void showInDialog();

  WindowSettings& settings_;
  Workspace& workspace_;
  ThemeChoice* theme_;
  const QFont systemFont_;
  QString missingDevice_;
  QPointer<PreferencesDialog> dialog_;
};

}  // namespace softscope
