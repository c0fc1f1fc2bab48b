#pragma once

#include "app/window/BundledContent.h"
#include "app/window/UnsavedChanges.h"
#include "app/window/settings/WindowSettings.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QThreadPool>

#include <optional>
#include <vector>

class QWidget;

namespace softscope {

class WindowActions;
class Workspace;

/// Handles workspaces as `.softscope` files: opening, saving, and finding files that have moved
/// since.
class WorkspaceFiles : public QObject {
  Q_OBJECT

 public:
  WorkspaceFiles(QWidget& window, Workspace& workspace, WindowActions& actions,
                 WindowSettings& settings);

  void openDialog();
  /// Opens a workspace in place of what is open, whose unsaved changes are asked about first. So do
  /// openLastSession() and goBack().
  void open(const QString& path);
  void save();
  void saveDialog();
  void saveAs(const QString& path);
  void openLastSession();
  /// Opens the workspace that was replaced last, and keeps what is open now in its stead.
  void goBack();
  /// Asks whether to save a workspace that differs from its file, and saves it if the user wishes.
  /// Returns false if the user wants to go on with it, or if it could not be saved.
  bool mayLeave();
  /// Opens a workspace that was not kept in one of the user's files.
  void restore(const WorkspaceState& state);
  /// Asks for the present place of each missing file; missing files beside a found one are found
  /// automatically.
  void locateMissing();

  /// Sets what a window without arguments shows, which is not kept when something replaces it.
  void setBundled(const BundledContent& bundled) { bundled_ = bundled; }
  /// Returns whether the workspace differs from its file.
  const UnsavedChanges& unsaved() const { return unsaved_; }
  /// Returns the file that the workspace was saved to or opened from; empty if there is none.
  const QString& path() const { return path_; }

 Q_SIGNALS:
  void pathChanged();
  void said(const QString& message);
  void failed(const QString& message);
  /// Emitted when other content has taken the place of the open workspace; goBack() opens that
  /// again.
  void replaced();
  /// A workspace was opened without some of its files; locateMissing() finds them.
  void filesMissing(const QString& message, const QString& details);

 private:
  /// A workspace that another took the place of, with its file and the content of that, if it had
  /// one.
  struct Replaced {
    WorkspaceState state;
    QString path;
    std::optional<WorkspaceState> saved;
  };

  /// Reads a workspace's file. If it cannot be read, reports why and returns nothing.
  std::optional<WorkspaceState> read(const QString& path);
  /// As mayLeave(), for another workspace in the place of this one.
  bool mayReplace();
  /// Asks whether to save unsaved changes; `otherwise` says what becomes of them if not.
  bool askToSave(const QString& otherwise);
  /// Keeps what is open, also beyond this process unless changes are kept only on closing. Returns
  /// false if nothing is open that is its user's.
  bool keepReplaced();
  void tellMissing();
  /// Returns what follows the message of saving if the workspace names files that are not there.
  QString missingText() const;
  /// Enables the action that forgets what did not open.
  void showUnopened();
  /// Takes the workspace's file, which is empty if it has none, and the content of that.
  void setPath(const QString& path, const std::optional<WorkspaceState>& saved);
  /// Takes one of the user's files, which the recent ones begin with from now on.
  void setOwnPath(const QString& path, const WorkspaceState& saved);
  void fillRecentMenu();

  QWidget& window_;
  Workspace& workspace_;
  WindowActions& actions_;
  WindowSettings& settings_;
  QString path_;
  /// The replaced workspaces that goBack() opens, the latest at the end.
  std::vector<Replaced> replaced_;
  BundledContent bundled_;
  UnsavedChanges unsaved_;
  /// Writes what was replaced, one after another, so that the window does not wait for the disk.
  QThreadPool writer_;
};

}  // namespace softscope
