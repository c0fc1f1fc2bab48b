#include "app/window/WindowSettings.h"

#include "widgets/settings/SettingValues.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>

namespace softscope {
namespace {

constexpr int longestRecent = 10;

}  // namespace

WindowSettings readWindowSettings() {
  const QSettings file;
  WindowSettings settings;
  settings.geometry = file.value(QStringLiteral("window/geometry")).toByteArray();
  settings.layout = file.value(QStringLiteral("window/layout")).toByteArray();
  settings.recentPictures = file.value(QStringLiteral("recent/pictures")).toStringList();
  settings.recentModels = file.value(QStringLiteral("recent/models")).toStringList();
  settings.recentWorkspaces = file.value(QStringLiteral("recent/workspaces")).toStringList();
  settings.recentSurveys = file.value(QStringLiteral("recent/surveys")).toStringList();
  settings.exportFolder = file.value(QStringLiteral("recent/exportFolder")).toString();
  const QString theme = file.value(QStringLiteral("window/theme")).toString();
  if (theme == QLatin1String("light")) settings.theme = ViewSettings::Theme::Light;
  if (theme == QLatin1String("dark")) settings.theme = ViewSettings::Theme::Dark;

  readSettings(viewSettings, file, "view", settings.view);
  readSettings(overHeadsSettings, file, "view", settings.overHeads);
  readSettings(figureSettings, file, "figure", settings.figure);
  return settings;
}

void writeWindowSettings(const WindowSettings& settings) {
  QSettings file;
  file.setValue(QStringLiteral("window/geometry"), settings.geometry);
  file.setValue(QStringLiteral("window/layout"), settings.layout);
  file.setValue(QStringLiteral("recent/pictures"), settings.recentPictures);
  file.setValue(QStringLiteral("recent/models"), settings.recentModels);
  file.setValue(QStringLiteral("recent/workspaces"), settings.recentWorkspaces);
  file.setValue(QStringLiteral("recent/surveys"), settings.recentSurveys);
  file.setValue(QStringLiteral("recent/exportFolder"), settings.exportFolder);
  const bool dark = settings.theme == ViewSettings::Theme::Dark;
  file.setValue(QStringLiteral("window/theme"), !settings.theme ? QStringLiteral("system")
                                                : dark          ? QStringLiteral("dark")
                                                                : QStringLiteral("light"));
  writeSettings(viewSettings, settings.view, "view", file);
  writeSettings(overHeadsSettings, settings.overHeads, "view", file);
  writeSettings(figureSettings, settings.figure, "figure", file);
}

void rememberPath(QStringList& recent, const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent.removeAll(absolute);
  recent.prepend(absolute);
  while (recent.size() > longestRecent) recent.removeLast();
}

}  // namespace softscope
