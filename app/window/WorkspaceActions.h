#pragma once

#include <QtCore/QObject>

namespace softscope {

class WindowActions;
class Workspace;

/// The actions of the menus that change the workspace.
class WorkspaceActions : public QObject {
  Q_OBJECT

 public:
  WorkspaceActions(WindowActions& actions, Workspace& workspace, QObject* parent = nullptr);

  /// Enables the actions that are possible at this moment, and sets the check marks.
  void show();

 Q_SIGNALS:
  /// The user cancelled while nothing was running.
  void nothingToCancel();
  /// The user asked to show the whole content of the zoomed page again.
  void wholeWanted();
  /// The user asked to rename the model whose index is `model`.
  void renameWanted(int model);

 private:
  void connectQueries();
  void connectModels();
  void connectHeads();
  void connectLooks();
  /// Zooms about the query if it is a visible place.
  void zoomAbout(double factor);
  void fade(double by);
  void showQueries();
  void showModels();
  void showView();

  WindowActions& actions_;
  Workspace& workspace_;
};

}  // namespace softscope
