#pragma once

#include "app/window/WindowOptions.h"
#include "app/window/WindowSettings.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QHash>
#include <QtCore/QSet>
#include <QtCore/QTimer>
#include <QtWidgets/QMainWindow>

#include <functional>
#include <memory>

class QTabBar;
class QStackedWidget;

namespace softscope {

class Autosave;
class ComparePage;
class ElidedLabel;
class EmptyState;
class ErrorBanner;
class FigureExport;
class FileExchange;
class HeadsPage;
class LayerTree;
class LibraryPage;
class MechanismQuestion;
class ModelPanel;
class Page;
class PictureView;
class PinStrip;
class PredictionList;
class ProgressStrip;
class ViewPanel;
class WindowActions;
class WindowDocks;
class WorkspaceFiles;

/// The window: wires one workspace to the widgets that show it and to the menus that change it.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(ModelOpener opener, ModelInspector inspector, WindowOptions options = {});
  ~MainWindow() override;

  Workspace& workspace() { return workspace_; }
  FileExchange& files() { return *files_; }
  FigureExport& figures() { return *figures_; }
  /// Whether the page in front shows something that can be printed.
  bool canExport() const;
  WorkspaceFiles& workspaceFiles() { return *workspaceFiles_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildCentre();
  void buildDocks();
  void connectWorkspace();
  void connectPanels();
  void connectPages();
  void connectActions();
  void restore();
  void rememberView();
  void openFirst();

  void chooseTheme(std::optional<ViewSettings::Theme> theme);
  void showAbout();

  void showPicture();
  void showModel();
  void showModelPanel();
  void rememberModel();
  void showLayer();
  void showTitle();
  void showPage();
  void addPage(const QString& name, Page* page);
  /// The page that was chosen.
  Page& chosenPage() const;
  /// That, where it is in front and not the empty state; otherwise null.
  Page* shownPage() const;
  void showQuery();
  void showView();
  void showPredictions();
  void showEmptyState();
  void askMechanism();
  void updateActions();
  /// What is under the pointer, in the status bar.
  void readOut(const QString& text);
  /// A message there for some seconds.
  void say(const QString& message);
  void applyFirstQuery();
  void startAtPatch(const Patch& patch);
  void changeView(const std::function<void(ViewSettings&)>& change);
  void zoomAbout(double factor);

  WindowOptions options_;
  WindowSettings settings_;
  /// Before the command line had its say.
  WindowSettings remembered_;
  ViewSettings::Theme systemTheme_;
  Workspace workspace_;
  WindowActions* actions_;
  std::unique_ptr<FileExchange> files_;
  std::unique_ptr<FigureExport> figures_;
  std::unique_ptr<WorkspaceFiles> workspaceFiles_;
  std::unique_ptr<Autosave> autosave_;

  PictureView* pictureView_ = nullptr;
  PinStrip* pins_ = nullptr;
  QTabBar* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  EmptyState* empty_ = nullptr;
  HeadsPage* heads_ = nullptr;
  ComparePage* compare_ = nullptr;
  LibraryPage* library_ = nullptr;
  QHash<QString, Page*> pagesByName_;
  ErrorBanner* banner_ = nullptr;
  MechanismQuestion* question_ = nullptr;
  LayerTree* layers_ = nullptr;
  PredictionList* predictions_ = nullptr;
  ModelPanel* modelPanel_ = nullptr;
  ViewPanel* viewPanel_ = nullptr;
  ProgressStrip* progress_ = nullptr;
  ElidedLabel* readout_ = nullptr;
  std::unique_ptr<WindowDocks> docks_;

  /// Moves that come faster than they can be drawn are drawn once.
  QTimer queryDue_;
  bool firstQueryAsked_ = false;
  /// Models (by their files) about whose mechanism the user would rather not say.
  QSet<QString> unasked_;
  bool arranged_ = false;
};

}  // namespace softscope
