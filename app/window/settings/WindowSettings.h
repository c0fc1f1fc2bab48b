#pragma once

#include "core/model/ModelRequest.h"
#include "widgets/settings/ComputeSettings.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/MapSettings.h"
#include "widgets/settings/Preferences.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QByteArray>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <string>

namespace softscope {

// The user's answers about files whose weights do not tell their mechanism or heads. They are kept
// permanently by the files' fingerprints, so that a file may move.

/// Returns the request, completed with the remembered answers about its file.
ModelRequest withRemembered(ModelRequest request);
void rememberMechanism(const QString& fingerprint, const std::string& mechanism);
void rememberHeads(const QString& fingerprint, int heads);

/// The settings that the window remembers between starts.
struct WindowSettings {
  QByteArray geometry;
  QByteArray layout;
  /// The sizes of panels that the user has dragged (see WindowDocks::dragged()); empty if the file
  /// says nothing of them, as those of earlier versions.
  std::optional<QStringList> draggedPanels;
  /// True if panels are tabs only because a column did not fit.
  bool stackedPanels = false;
  QStringList recentPictures;
  QStringList recentModels;
  QStringList recentWorkspaces;
  QStringList recentSurveys;
  QString exportFolder;
  Preferences preferences;
  ComputeSettings compute;
  ViewSettings view;
  OverHeads overHeads;
  /// The appearance of exported figures.
  FigureSettings figure;
  /// True once the user has made the first gestures.
  bool knowsFirstSteps = false;
};

/// Returns the values in the settings file, clamped to their limits; unreadable ones have their
/// defaults.
WindowSettings readWindowSettings();
/// Writes the settings that differ from `before`, except the preferences and the compute settings.
/// Returns true if they could be written (see changeSettingsFile()).
bool writeChanges(const WindowSettings& before, const WindowSettings& settings);
/// Writes the preferences and the compute settings. Returns true if they could be written.
bool writePreferences(const WindowSettings& settings);

/// Puts a path at the front of a list of recent ones, without duplicates, and keeps the list short.
void rememberPath(QStringList& recent, const QString& path);

}  // namespace softscope
