#include "app/window/settings/WindowSettings.h"

#include "app/window/settings/SettingsFile.h"
#include "widgets/settings/SettingValues.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>

#include <new>

namespace softscope {
namespace {

constexpr int longestRecent = 10;

const char* const preferenceGroup = "window";

QStringList readRecent(const QSettings& file, const char* key) {
  return file.value(QLatin1String("recent/") + QLatin1String(key))
      .toStringList()
      .mid(0, longestRecent);
}

WindowSettings readFrom(const QSettings& file) {
  WindowSettings settings;
  settings.geometry = file.value(QStringLiteral("window/geometry")).toByteArray();
  settings.layout = file.value(QStringLiteral("window/layout")).toByteArray();
  settings.recentPictures = readRecent(file, "pictures");
  settings.recentModels = readRecent(file, "models");
  settings.recentWorkspaces = readRecent(file, "workspaces");
  settings.recentSurveys = readRecent(file, "surveys");
  settings.exportFolder = file.value(QStringLiteral("recent/exportFolder")).toString();
  settings.knowsFirstSteps = file.value(QStringLiteral("window/knowsFirstSteps")).toBool();
  readSettings(preferenceSettings, file, preferenceGroup, settings.preferences);
  readSettings(computeSettings, file, preferenceGroup, settings.compute);
  readSettings(viewSettings, file, "view", settings.view);
  readSettings(overHeadsSettings, file, "view", settings.overHeads);
  readSettings(figureSettings, file, "figure", settings.figure);
  return settings;
}

void setPreferences(const WindowSettings& settings, QSettings& file) {
  writeSettings(preferenceSettings, settings.preferences, preferenceGroup, file);
  writeSettings(computeSettings, settings.compute, preferenceGroup, file);
}

}  // namespace

WindowSettings readWindowSettings() {
  try {
    return readFrom(QSettings());
  } catch (const std::bad_alloc&) {
    // A value that says it is larger than all memory: the file is not one that was written here.
    return {};
  }
}

bool writePreferences(const WindowSettings& settings) {
  return changeSettingsFile([&](QSettings& file) { setPreferences(settings, file); });
}

bool writeWindowSettings(const WindowSettings& settings) {
  return changeSettingsFile([&](QSettings& file) {
    file.setValue(QStringLiteral("window/geometry"), settings.geometry);
    file.setValue(QStringLiteral("window/layout"), settings.layout);
    file.setValue(QStringLiteral("recent/pictures"), settings.recentPictures);
    file.setValue(QStringLiteral("recent/models"), settings.recentModels);
    file.setValue(QStringLiteral("recent/workspaces"), settings.recentWorkspaces);
    file.setValue(QStringLiteral("recent/surveys"), settings.recentSurveys);
    file.setValue(QStringLiteral("recent/exportFolder"), settings.exportFolder);
    file.setValue(QStringLiteral("window/knowsFirstSteps"), settings.knowsFirstSteps);
    setPreferences(settings, file);
    writeSettings(viewSettings, settings.view, "view", file);
    writeSettings(overHeadsSettings, settings.overHeads, "view", file);
    writeSettings(figureSettings, settings.figure, "figure", file);
  });
}

void rememberPath(QStringList& recent, const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent.removeAll(absolute);
  recent.prepend(absolute);
  while (recent.size() > longestRecent) recent.removeLast();
}

}  // namespace softscope
