#pragma once

#include "app/window/preferences/PreferencesDialog.h"
#include "app/window/settings/WindowSettings.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>
#include <QtCore/QPointer>
#include <QtGui/QFont>

#include <optional>

class QActionGroup;
class QMainWindow;

namespace softscope {

class ActionShortcuts;
class WindowActions;
class Workspace;
struct WindowOptions;

/// The window's colours: light, dark, or as the system sets them.
class ThemeChoice : public QObject {
  Q_OBJECT

 public:
  /// The actions' data is empty for the system's theme, or a ViewSettings::Theme.
  explicit ThemeChoice(QActionGroup& actions, QObject* parent = nullptr);

  /// Chooses a theme; an empty one follows the system.
  void choose(std::optional<ViewSettings::Theme> theme);

 Q_SIGNALS:
  /// The user chose one in the menu, and it was applied.
  void chosen(std::optional<softscope::ViewSettings::Theme> theme);

 private:
  QActionGroup& actions_;
  ViewSettings::Theme systemTheme_;
};

/// Applies the user's preferences: permanent ones from the settings, overridden for this run by the
/// command line. They are written as soon as they change.
class WindowPreferences : public QObject {
  Q_OBJECT

 public:
  /// Applies the appearance at once, since widgets ask for colours and fonts when they are created.
  WindowPreferences(const WindowOptions& options, WindowSettings& settings,
                    const WindowActions& actions, Workspace& workspace, QObject* parent = nullptr);
  /// Restores the application's system font.
  ~WindowPreferences() override;

  /// Reports preferences that are not available on this machine.
  void tellMissing();
  /// Reports that a choice could not be written, e.g. because the disk is full or the folder is
  /// missing.
  void warnNotSaved();
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
