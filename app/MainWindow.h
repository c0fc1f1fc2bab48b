#pragma once

#include "app/WindowOptions.h"
#include "app/WindowSettings.h"
#include "widgets/Workspace.h"

#include <QtCore/QTimer>
#include <QtWidgets/QMainWindow>

#include <memory>

class QLabel;
class QStackedWidget;

namespace softscope {

class EmptyState;
class ErrorBanner;
class FileExchange;
class HeadGrid;
class LayerHeader;
class LayerTree;
class ModelPanel;
class PictureView;
class PredictionList;
class ProgressStrip;
class ViewPanel;
class WindowActions;
class WindowDocks;

/// The window: wires one workspace to the widgets that show it and to the menus that change it.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(ModelOpener opener, ModelInspector inspector, WindowOptions options = {});
  ~MainWindow() override;

  Workspace& workspace() { return workspace_; }
  FileExchange& files() { return *files_; }

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
  void connectActions();
  void restore();
  void openFirst();

  void chooseTheme(std::optional<ViewSettings::Theme> theme);
  void showAbout();

  void showPicture();
  void showModel();
  void showModelPanel();
  void rememberModel();
  void showLayer();
  void showHeads();
  void showView();
  void showPredictions();
  void showEmptyState();
  void updateActions();
  void applyFirstQuery();
  void askAt(const QPointF& place, bool dragged);
  void readOut(int panel, int row, int column);
  void changeOpacity(double by);

  WindowOptions options_;
  WindowSettings settings_;
  ViewSettings::Theme systemTheme_;
  Workspace workspace_;
  WindowActions* actions_;
  std::unique_ptr<FileExchange> files_;

  PictureView* pictureView_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  EmptyState* empty_ = nullptr;
  LayerHeader* header_ = nullptr;
  HeadGrid* heads_ = nullptr;
  ErrorBanner* banner_ = nullptr;
  LayerTree* layers_ = nullptr;
  PredictionList* predictions_ = nullptr;
  ModelPanel* modelPanel_ = nullptr;
  ViewPanel* viewPanel_ = nullptr;
  ProgressStrip* progress_ = nullptr;
  QLabel* readout_ = nullptr;
  std::unique_ptr<WindowDocks> docks_;

  /// The picture as the current inspection saw it; made anew when either changes.
  std::shared_ptr<const CroppedPicture> seenPicture_;
  /// Moves that come faster than they can be drawn are drawn once.
  QTimer headsDue_;
  bool firstQueryAsked_ = false;
  bool arranged_ = false;
};

}  // namespace softscope
