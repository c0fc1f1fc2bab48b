#pragma once

#include "widgets/settings/FigureSettings.h"
#include "widgets/settings/OverHeads.h"
#include "widgets/settings/ViewSettings.h"

#include <QtCore/QByteArray>
#include <QtCore/QStringList>

#include <optional>

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
  /// None follows the system.
  std::optional<ViewSettings::Theme> theme;
  ViewSettings view;
  OverHeads overHeads;
  /// The looks of exported figures.
  FigureSettings figure;
};

WindowSettings readWindowSettings();
void writeWindowSettings(const WindowSettings& settings);

/// Puts a path in front of a list of recent ones, once, and keeps the list short.
void rememberPath(QStringList& recent, const QString& path);

}  // namespace softscope
