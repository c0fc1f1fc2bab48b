#pragma once

#include <QtCore/QObject>
#include <QtCore/QPoint>
#include <QtCore/QTimer>

#include <memory>

class QMainWindow;
class QVBoxLayout;

namespace softscope {

class ErrorBanner;
class PageBook;
class SidePanels;
class StatusLine;
class WindowActions;
class WindowDocks;
class WorkspaceActions;
class Workspace;
struct PanelFigure;
struct PageSources;
struct PanelUnderPointer;

/// All that a window shows of its workspace: pages, panels, status line, messages, and the state of
/// its menus. It fills the window with them and keeps them as the workspace is.
class WorkspaceDisplay : public QObject {
  Q_OBJECT

 Q_SIGNALS:
  /// A single panel is to be written into a file that is called like this at first.
  void panelFileWanted(const QString& name, const std::shared_ptr<const PanelFigure>& figure);
  void firstStepsDone();

 public:
  WorkspaceDisplay(QMainWindow& window, Workspace& workspace, WindowActions& actions,
                   const PageSources& sources);
  ~WorkspaceDisplay() override;

  PageBook& pages() { return *pages_; }
  const PageBook& pages() const { return *pages_; }
  ErrorBanner& banner() { return *banner_; }
  /// Puts the panels back to where they are in a new window.
  void arrangePanels();
  /// The same where letters have become too large for panels that stand below one another.
  void fitLetters();
  /// The same where the window had the size `before`.
  void fitWindow(const QSize& before);

  /// A message that stays for some seconds, and one that stays until it is dismissed.
  void say(const QString& message);
  void fail(const QString& message);

  /// Says what hands can do here, until they have.
  void showFirstSteps();

  /// Everything anew: at first, and when the colours are others.
  void showAll();

 private:
  void fillCentre(QMainWindow& window, const PageSources& sources);
  void connectParts();
  void followWorkspace();
  void showModel();
  void showLayer();
  void showQueries();
  void showActions();
  void showPanelMenu(const PanelUnderPointer& under);
  void showTabMenu(const QPoint& globalPlace);

  Workspace& workspace_;
  WindowActions& actions_;
  QVBoxLayout* centre_ = nullptr;
  ErrorBanner* banner_ = nullptr;
  PageBook* pages_ = nullptr;
  SidePanels* panels_;
  StatusLine* status_;
  WorkspaceActions* workspaceActions_;
  std::unique_ptr<WindowDocks> docks_;
  /// Moves that come faster than they can be drawn are drawn once.
  QTimer queryDue_;
};

}  // namespace softscope
