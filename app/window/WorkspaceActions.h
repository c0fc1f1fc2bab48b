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

  /// Enables what can be done at this moment, and checks what holds.
  void show();

 Q_SIGNALS:
  /// The user cancels while nothing runs.
  void nothingToCancel();
  /// All of what the page in front zooms is to be shown again.
  void wholeWanted();
  /// The model with that index is to get another name.
  void renameWanted(int model);

 private:
  void connectQueries();
  void connectModels();
  void connectHeads();
  void connectLooks();
  /// About the query, where it is a place, as far as it can be seen.
  void zoomAbout(double factor);
  void fade(double by);
  void showQueries();
  void showModels();
  void showView();

  WindowActions& actions_;
  Workspace& workspace_;
};

}  // namespace softscope
