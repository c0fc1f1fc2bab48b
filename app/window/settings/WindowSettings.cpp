#include "app/window/settings/WindowSettings.h"

#include "app/window/settings/SettingsFile.h"
#include "core/files/FileVersion.h"
#include "widgets/settings/SettingValues.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtCore/QVariantMap>

#include <new>

namespace softscope {
namespace {

QString mechanismKey(const QString& fingerprint) {
  return QStringLiteral("mechanisms/") + fingerprint;
}

QString headsKey(const QString& fingerprint) {
  return QStringLiteral("heads/") + fingerprint;
}

constexpr int longestRecent = 10;

const char* const preferenceGroup = "window";
const QString draggedKey = QStringLiteral("window/draggedPanels");
const QString stackedKey = QStringLiteral("window/stackedPanels");
/// Lists of paths that every window adds to.
const QStringList recentKeys{QStringLiteral("recent/pictures"), QStringLiteral("recent/models"),
                             QStringLiteral("recent/workspaces"), QStringLiteral("recent/surveys")};

QStringList readRecent(const QSettings& file, const char* key) {
  return file.value(QLatin1String("recent/") + QLatin1String(key))
      .toStringList()
      .mid(0, longestRecent);
}

WindowSettings readFrom(const QSettings& file) {
  WindowSettings settings;
  settings.geometry = file.value(QStringLiteral("window/geometry")).toByteArray();
  settings.layout = file.value(QStringLiteral("window/layout")).toByteArray();
  if (file.contains(draggedKey)) {
    settings.draggedPanels = file.value(draggedKey).toString().split(u' ', Qt::SkipEmptyParts);
  }
  settings.stackedPanels = file.value(stackedKey).toBool();
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

/// Returns everything except the preferences, by the keys in the file.
QVariantMap valuesOf(const WindowSettings& settings) {
  QVariantMap values{{QStringLiteral("window/geometry"), settings.geometry},
                     {QStringLiteral("window/layout"), settings.layout},
                     {stackedKey, settings.stackedPanels},
                     {QStringLiteral("recent/pictures"), settings.recentPictures},
                     {QStringLiteral("recent/models"), settings.recentModels},
                     {QStringLiteral("recent/workspaces"), settings.recentWorkspaces},
                     {QStringLiteral("recent/surveys"), settings.recentSurveys},
                     {QStringLiteral("recent/exportFolder"), settings.exportFolder},
                     {QStringLiteral("window/knowsFirstSteps"), settings.knowsFirstSteps}};
  if (settings.draggedPanels) values[draggedKey] = settings.draggedPanels->join(u' ');
  writeSettings(viewSettings, settings.view, "view", values);
  writeSettings(overHeadsSettings, settings.overHeads, "view", values);
  writeSettings(figureSettings, settings.figure, "figure", values);
  return values;
}

/// Returns the recent paths in the file, to which another window may have added some, with what is
/// new since `before` in front. A path that was taken out since then goes there as well.
QStringList mergedRecent(const QStringList& inFile, const QStringList& before,
                         const QStringList& now) {
  QStringList merged;
  QStringList kept = before;
  kept.removeIf([&](const QString& path) { return !now.contains(path); });
  for (const QString& path : now) {
    // Whatever was opened again has moved to the front.
    const bool isNew = !kept.contains(path) || now.indexOf(path) < kept.indexOf(path);
    if (isNew) merged.append(path);
  }
  for (const QString& path : inFile) {
    const bool wasRemoved = before.contains(path) && !now.contains(path);
    if (!wasRemoved && !merged.contains(path)) merged.append(path);
  }
  return merged.mid(0, longestRecent);
}

void setPreferences(const WindowSettings& settings, QSettings& file) {
  writeSettings(preferenceSettings, settings.preferences, preferenceGroup, file);
  writeSettings(computeSettings, settings.compute, preferenceGroup, file);
}

}  // namespace

ModelRequest withRemembered(ModelRequest request) {
  const QString fingerprint = QString::fromStdString(fileFingerprint(request.path));
  if (fingerprint.isEmpty()) return request;
  const QSettings settings;
  const QString mechanism = settings.value(mechanismKey(fingerprint)).toString();
  const int heads = settings.value(headsKey(fingerprint)).toInt();
  if (!request.attention && !mechanism.isEmpty()) request.attention = mechanism.toStdString();
  if (!request.heads && heads > 0) request.heads = heads;
  return request;
}

void rememberMechanism(const QString& fingerprint, const std::string& mechanism) {
  if (fingerprint.isEmpty()) return;
  changeSettingsFile([&](QSettings& file) {
    file.setValue(mechanismKey(fingerprint), QString::fromStdString(mechanism));
  });
}

void rememberHeads(const QString& fingerprint, int heads) {
  if (fingerprint.isEmpty()) return;
  changeSettingsFile([&](QSettings& file) { file.setValue(headsKey(fingerprint), heads); });
}

WindowSettings readWindowSettings() {
  try {
    return readFrom(QSettings());
  } catch (const std::bad_alloc&) {
    // A value claims to be larger than all memory: the file was not written by this program.
    return {};
  }
}

bool writePreferences(const WindowSettings& settings) {
  return changeSettingsFile([&](QSettings& file) { setPreferences(settings, file); });
}

bool writeChanges(const WindowSettings& before, const WindowSettings& settings) {
  const QVariantMap was = valuesOf(before);
  QVariantMap changed = valuesOf(settings);
  for (const QString& key : was.keys()) {
    if (changed.value(key) == was.value(key)) changed.remove(key);
  }
  if (changed.isEmpty()) return true;
  const auto set = [&](QSettings& file) {
    for (const QString& key : changed.keys()) {
      QVariant value = changed.value(key);
      if (recentKeys.contains(key)) {
        value = mergedRecent(file.value(key).toStringList(), was.value(key).toStringList(),
                             value.toStringList());
      }
      file.setValue(key, value);
    }
  };
  // The window does not wait for the disk.
  return changeSettingsFile(set, Durability::Soon);
}

void rememberPath(QStringList& recent, const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent.removeAll(absolute);
  recent.prepend(absolute);
  while (recent.size() > longestRecent) recent.removeLast();
}

}  // namespace softscope
