#pragma once

#include <QtCore/QObject>
#include <QtCore/QPoint>
#include <QtCore/QTimer>

#include <memory>

class QMainWindow;
class QVBoxLayout;

namespace softscope {

class ErrorBanner;
class HintStrip;
class PageBook;
class SidePanels;
class StatusLine;
class WindowActions;
class WindowDocks;
class WorkspaceActions;
class Workspace;
struct Inspection;
struct PanelFigure;
struct PageSources;
struct PanelUnderPointer;

/// Everything that a window shows of its workspace: pages, panels, status line, messages, and the
/// state of its menus. Fills the window with them and keeps them up to date with the workspace.
class WorkspaceDisplay : public QObject {
  Q_OBJECT

 Q_SIGNALS:
  /// The user asked to write a single panel to a file; `name` is the suggested file name.
  void panelFileWanted(const QString& name, const std::shared_ptr<const PanelFigure>& figure);
  void firstStepsDone();

 public:
  WorkspaceDisplay(QMainWindow& window, Workspace& workspace, WindowActions& actions,
                   const PageSources& sources);
  ~WorkspaceDisplay() override;

  PageBook& pages() { return *pages_; }
  const PageBook& pages() const { return *pages_; }
  ErrorBanner& banner() { return *banner_; }
  /// Puts the panels back where they are in a new window.
  void arrangePanels();
  /// Rearranges the panels if the font has become too large for panels in a column.
  void fitLetters();
  /// Rearranges the panels if needed after a resize; `before` is the window's previous size.
  void fitWindow(const QSize& before);
  /// See WindowDocks::dragged().
  QStringList draggedPanels() const;
  void setDraggedPanels(const QStringList& names);
  /// See WindowDocks::areStackedForRoom().
  bool arePanelsStacked() const;
  void setPanelsStacked(bool stacked);

  /// `say` shows a message for some seconds, `fail` one that stays until it is dismissed.
  void say(const QString& message);
  void fail(const QString& message);
  /// Offers to open a file that was just written, or its folder.
  void offerFile(const QString& path);
  /// Offers to go back to the workspace that another has just replaced.
  void offerReturn();

  /// Shows a hint about the first gestures until the user has made them.
  void showFirstSteps();

  /// Shows everything anew: at start, and when the colours change.
  void showAll();

 private:
  void fillCentre(QMainWindow& window, const PageSources& sources);
  void connectParts();
  void followWorkspace();
  void showModel();
  void showLayer();
  void showQueries();
  void showFollowedView();
  void showActions();
  void showPanelMenu(const PanelUnderPointer& under);
  void showTabMenu(const QPoint& globalPlace);

  Workspace& workspace_;
  WindowActions& actions_;
  QVBoxLayout* centre_ = nullptr;
  ErrorBanner* banner_ = nullptr;
  PageBook* pages_ = nullptr;
  SidePanels* panels_;
  /// Null unless the first gestures are still to be made.
  HintStrip* steps_ = nullptr;
  StatusLine* status_;
  WorkspaceActions* workspaceActions_;
  std::unique_ptr<WindowDocks> docks_;
  /// The latest run that was shown.
  std::weak_ptr<const Inspection> seen_;
  /// Merges moves that come faster than they can be drawn.
  QTimer queryDue_;
};

}  // namespace softscope
