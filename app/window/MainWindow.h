#pragma once

#include "app/window/RememberedWindow.h"
#include "app/window/WindowOptions.h"
#include "app/window/settings/WindowSettings.h"
#include "widgets/workspace/Workspace.h"

#include <QtWidgets/QMainWindow>

#include <functional>
#include <memory>

namespace softscope {

class ActionShortcuts;
class Autosave;
class FigureExport;
class InteractiveExport;
class OpenSeries;
class FileExchange;
class InitialContent;
class PagesExport;
class PythonLink;
class SurveyFiles;
class SweepExport;
class WindowActions;
class WindowPreferences;
class WorkspaceDisplay;
class WorkspaceFiles;

/// The window: one workspace, its display, the menus and files that change it, and what is
/// remembered of these between starts.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  /// `engine` runs the models.
  explicit MainWindow(Engine engine, WindowOptions options = {});
  ~MainWindow() override;

  Workspace& workspace() { return workspace_; }
  FileExchange& files() { return *files_; }
  FigureExport& figures() { return *figures_; }
  PagesExport& pagesExport() { return *pagesExport_; }
  InteractiveExport& interactiveExport() { return *interactiveExport_; }
  SweepExport& sweepExport() { return *sweepExport_; }
  WorkspaceFiles& workspaceFiles() { return *workspaceFiles_; }
  SurveyFiles& surveys() { return *surveys_; }
  /// True if the page in front shows something that can be printed.
  bool canExport() const;
  /// Sets whether closing the window asks first while files are being written or measurements
  /// run; true at first.
  void setAsksBeforeClosing(bool asks) { asksBeforeClosing_ = asks; }
  /// True if everything to be opened at start is being loaded.
  bool hasBegun() const;

 Q_SIGNALS:
  void begun();

 protected:
  void changeEvent(QEvent* event) override;
  void childEvent(QChildEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void connectMessages();
  void connectPython();
  void connectPages();
  void connectWorkspaceFiles();
  void connectSurveys();
  void connectPreferences();
  void connectActions();
  void followWorkspace();
  void remember();
  /// Asks whether to close, if that would end or lose something.
  bool mayClose();
  /// Asks whether to give up the files that are still being written and what is being measured,
  /// if there is any.
  bool mayEndRunning();

  void rememberPicture();
  void rememberModel();
  void showTitle();

  WindowOptions options_;
  WindowSettings settings_;
  RememberedWindow remembered_;
  RememberedView view_;
  Workspace workspace_;
  WindowActions* actions_;
  std::unique_ptr<WindowPreferences> preferences_;
  std::unique_ptr<OpenSeries> series_;
  std::unique_ptr<FileExchange> files_;
  std::unique_ptr<FigureExport> figures_;
  std::unique_ptr<PagesExport> pagesExport_;
  std::unique_ptr<InteractiveExport> interactiveExport_;
  std::unique_ptr<SweepExport> sweepExport_;
  std::unique_ptr<WorkspaceFiles> workspaceFiles_;
  std::unique_ptr<SurveyFiles> surveys_;
  std::unique_ptr<Autosave> autosave_;
  std::unique_ptr<WorkspaceDisplay> display_;
  std::unique_ptr<InitialContent> first_;
  /// Null if the window listens to no Python process.
  std::unique_ptr<PythonLink> python_;
  /// The shortcuts, with the keys that the user chose.
  std::unique_ptr<ActionShortcuts> shortcuts_;
  /// The action of the banner's button.
  std::function<void()> offer_;
  bool arranged_ = false;
  bool asksBeforeClosing_ = true;
};

}  // namespace softscope
