#pragma once

#include "app/window/settings/WindowSettings.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QString>

class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// Workspaces as `.softscope` files: opening, saving, and finding what has moved since.
class WorkspaceFiles : public QObject {
  Q_OBJECT

 public:
  WorkspaceFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
                 WindowSettings& settings);

  void openDialog();
  void open(const QString& path);
  void save();
  void saveDialog();
  void saveAs(const QString& path);
  void openLastSession();
  /// Opens what was not kept in a file of the user's.
  void restore(const WorkspaceState& state);
  /// Asks where each missing file is now; those beside one that was found are found with it.
  void locateMissing();

  /// The file the workspace was saved to or opened from; empty if none.
  const QString& path() const { return path_; }

 Q_SIGNALS:
  void pathChanged();
  void said(const QString& message);
  void failed(const QString& message);
  /// A workspace was opened without some of its files; locateMissing() finds them.
  void filesMissing(const QString& message, const QString& details);

 private:
  void tellMissing();
  void setPath(const QString& path);
  void fillRecentMenu();

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
  QString path_;
  /// As the file has it, missing files included.
  WorkspaceState wanted_;
};

}  // namespace softscope
