#include "app/window/WindowSettings.h"

#include "core/image/ColorMap.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>

#include <algorithm>

namespace softscope {
namespace {

constexpr int longestRecent = 10;

/// A name this version knows, or what stood there before.
void readColorMap(const QSettings& file, const char* key, bool diverging, std::string& name) {
  const std::string stored = file.value(QLatin1String(key)).toString().toStdString();
  const auto& names = colorMapNames();
  const bool known = std::find(names.begin(), names.end(), stored) != names.end();
  if (known && colorMap(stored).diverging == diverging) name = stored;
}

FigureSettings readFigureSettings(const QSettings& file) {
  FigureSettings figure;
  const auto number = [&](const char* key, double usual, double least, double most) {
    return std::clamp(file.value(QLatin1String(key), usual).toDouble(), least, most);
  };
  figure.width = number("figure/width", figure.width, 20, 1000);
  figure.columns = static_cast<int>(number("figure/columns", figure.columns, 0, 24));
  figure.dpi = static_cast<int>(number("figure/dpi", figure.dpi, 20, 2400));
  figure.points = number("figure/points", figure.points, 4, 24);
  figure.font = file.value(QStringLiteral("figure/font"), QString::fromStdString(figure.font))
                    .toString()
                    .toStdString();
  figure.titles = file.value(QStringLiteral("figure/titles"), figure.titles).toBool();
  figure.letters = file.value(QStringLiteral("figure/letters"), figure.letters).toBool();
  figure.colorBars = file.value(QStringLiteral("figure/colorBars"), figure.colorBars).toBool();
  figure.ground = static_cast<FigureSettings::Ground>(
      std::clamp(file.value(QStringLiteral("figure/ground"), 0).toInt(), 0, 2));
  return figure;
}

void writeFigureSettings(QSettings& file, const FigureSettings& figure) {
  file.setValue(QStringLiteral("figure/width"), figure.width);
  file.setValue(QStringLiteral("figure/columns"), figure.columns);
  file.setValue(QStringLiteral("figure/dpi"), figure.dpi);
  file.setValue(QStringLiteral("figure/points"), figure.points);
  file.setValue(QStringLiteral("figure/font"), QString::fromStdString(figure.font));
  file.setValue(QStringLiteral("figure/titles"), figure.titles);
  file.setValue(QStringLiteral("figure/letters"), figure.letters);
  file.setValue(QStringLiteral("figure/colorBars"), figure.colorBars);
  file.setValue(QStringLiteral("figure/ground"), static_cast<int>(figure.ground));
}

}  // namespace

WindowSettings readWindowSettings() {
  const QSettings file;
  WindowSettings settings;
  settings.geometry = file.value(QStringLiteral("window/geometry")).toByteArray();
  settings.layout = file.value(QStringLiteral("window/layout")).toByteArray();
  settings.recentPictures = file.value(QStringLiteral("recent/pictures")).toStringList();
  settings.recentModels = file.value(QStringLiteral("recent/models")).toStringList();
  settings.recentWorkspaces = file.value(QStringLiteral("recent/workspaces")).toStringList();
  settings.exportFolder = file.value(QStringLiteral("recent/exportFolder")).toString();
  const QString theme = file.value(QStringLiteral("window/theme")).toString();
  if (theme == QLatin1String("light")) settings.theme = ViewSettings::Theme::Light;
  if (theme == QLatin1String("dark")) settings.theme = ViewSettings::Theme::Dark;

  ViewSettings& view = settings.view;
  readColorMap(file, "view/colorMap", false, view.colorMap);
  readColorMap(file, "view/divergingColorMap", true, view.divergingColorMap);
  view.opacity =
      std::clamp(file.value(QStringLiteral("view/opacity"), view.opacity).toDouble(), 0.0, 1.0);
  view.normalisation = static_cast<ViewSettings::Normalisation>(
      std::clamp(file.value(QStringLiteral("view/normalisation"), 0).toInt(), 0, 2));
  view.smooth = file.value(QStringLiteral("view/smooth"), view.smooth).toBool();
  view.absolute = file.value(QStringLiteral("view/absolute"), view.absolute).toBool();
  settings.includesMean = file.value(QStringLiteral("view/mean"), true).toBool();
  settings.includesLargest = file.value(QStringLiteral("view/largest"), false).toBool();
  settings.figure = readFigureSettings(file);
  return settings;
}

void writeWindowSettings(const WindowSettings& settings) {
  QSettings file;
  file.setValue(QStringLiteral("window/geometry"), settings.geometry);
  file.setValue(QStringLiteral("window/layout"), settings.layout);
  file.setValue(QStringLiteral("recent/pictures"), settings.recentPictures);
  file.setValue(QStringLiteral("recent/models"), settings.recentModels);
  file.setValue(QStringLiteral("recent/workspaces"), settings.recentWorkspaces);
  file.setValue(QStringLiteral("recent/exportFolder"), settings.exportFolder);
  const bool dark = settings.theme == ViewSettings::Theme::Dark;
  file.setValue(QStringLiteral("window/theme"), !settings.theme ? QStringLiteral("system")
                                                : dark          ? QStringLiteral("dark")
                                                                : QStringLiteral("light"));
  const ViewSettings& view = settings.view;
  file.setValue(QStringLiteral("view/colorMap"), QString::fromStdString(view.colorMap));
  file.setValue(QStringLiteral("view/divergingColorMap"),
                QString::fromStdString(view.divergingColorMap));
  file.setValue(QStringLiteral("view/opacity"), view.opacity);
  file.setValue(QStringLiteral("view/normalisation"), static_cast<int>(view.normalisation));
  file.setValue(QStringLiteral("view/smooth"), view.smooth);
  file.setValue(QStringLiteral("view/absolute"), view.absolute);
  file.setValue(QStringLiteral("view/mean"), settings.includesMean);
  file.setValue(QStringLiteral("view/largest"), settings.includesLargest);
  writeFigureSettings(file, settings.figure);
}

void rememberPath(QStringList& recent, const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  recent.removeAll(absolute);
  recent.prepend(absolute);
  while (recent.size() > longestRecent) recent.removeLast();
}

}  // namespace softscope
