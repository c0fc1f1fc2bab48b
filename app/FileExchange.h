#pragma once

#include "app/WindowSettings.h"

#include <QtCore/QObject>
#include <QtCore/QString>

class QMimeData;
class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// What comes into the window and what leaves it: dialogs, recent files, drops, the clipboard, and
/// figures.
class FileExchange : public QObject {
  Q_OBJECT

 public:
  /// Keeps its lists of recent files in `settings`.
  FileExchange(QWidget& window, Workspace& workspace, WindowActions& actions,
               WindowSettings& settings);

  void openPictureDialog();
  void openModelDialog();
  void exportDialog();
  /// Writes what is shown, as PNG, SVG or PDF.
  void exportFigure(const QString& path);
  /// Copies what is shown, as a picture and as SVG.
  void copyFigure();
  void paste();
  /// Opens what was dropped.
  void open(const QMimeData& data);
  static bool canOpen(const QMimeData& data);

  void rememberPicture(const QString& path);
  void rememberModel(const QString& path);

 Q_SIGNALS:
  /// Something to read in passing, and something that went wrong.
  void said(const QString& message);
  void failed(const QString& message);

 private:
  void openModelAt(const QString& path);
  void fillRecentMenus();

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
};

}  // namespace softscope
