#pragma once

#include "widgets/settings/ComputeSettings.h"
#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/Preferences.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QByteArray>
#include <QtCore/QStringList>

namespace softscope {

/// What the window remembers from one day to the next.
struct WindowSettings {
  QByteArray geometry;
  QByteArray layout;
  QStringList recentPictures;
  QStringList recentModels;
  QStringList recentWorkspaces;
  QStringList recentSurveys;
  QString exportFolder;
  Preferences preferences;
  ComputeSettings compute;
  ViewSettings view;
  OverHeads overHeads;
  /// The looks of exported figures.
  FigureSettings figure;
  /// The user has taken the first steps.
  bool knowsFirstSteps = false;
};

/// What the settings file says, within its limits; what cannot be read there is as it is at first.
WindowSettings readWindowSettings();
/// Writes those that differ from `before`, but for the preferences and what may be used of the
/// computer. Returns whether they could be written (changeSettingsFile()).
bool writeChanges(const WindowSettings& before, const WindowSettings& settings);
/// Writes the preferences and what may be used of the computer.
bool writePreferences(const WindowSettings& settings);

/// Puts a path in front of a list of recent ones, once, and keeps the list short.
void rememberPath(QStringList& recent, const QString& path);

}  // namespace softscope
