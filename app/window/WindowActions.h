#pragma once

#include "widgets/settings/ViewSettings.h"

#include <QtCore/QObject>

class QAction;
class QActionGroup;
class QMainWindow;
class QMenu;

namespace softscope {

/// The main window's menus. They define names and default shortcuts; what an action does is
/// connected where the window is wired.
class WindowActions : public QObject {
  Q_OBJECT

 public:
  explicit WindowActions(QMainWindow& window);

  QAction* openPicture;
  QAction* openModel;
  QAction* openSeries;
  QAction* openBeside;
  /// Opens SOFT and SOFT++ of the box side by side.
  QAction* openPair;
  QAction* renameModel;
  QAction* nameClasses;
  QAction* closeModel;
  QMenu* samples;
  QMenu* recentPictures;
  QMenu* recentModels;
  QAction* openWorkspace;
  QAction* saveWorkspace;
  QAction* saveWorkspaceAs;
  QMenu* recentWorkspaces;
  QAction* lastSession;
  QAction* goBack;
  QAction* newSurvey;
  QAction* openSurvey;
  QMenu* recentSurveys;
  QAction* locateMissing;
  /// Takes what could not be opened out of the workspace.
  QAction* forgetMissing;
  QAction* exportFigure;
  QAction* exportPages;
  QAction* exportInteractive;
  QAction* exportSweep;
  QAction* saveNumbers;
  QAction* quit;

  QAction* undo;
  QAction* redo;
  QAction* pin;
  QAction* clearPins;
  QAction* copy;
  QAction* copyCommand;
  QAction* copyNumbers;
  QAction* paste;
  QAction* preferences;
  QAction* editShortcuts;

  /// The actions' data is a page's name.
  QActionGroup* pages;
  QAction* previousModel;
  QAction* nextModel;
  QAction* flipModel;
  QAction* swapDirection;
  QAction* classToken;
  QAction* previousLayer;
  QAction* nextLayer;
  QAction* previousHead;
  QAction* nextHead;
  QAction* allHeads;
  QAction* moreOpaque;
  QAction* lessOpaque;
  QAction* smooth;
  QAction* zoomIn;
  QAction* zoomOut;
  QAction* zoomReset;
  QActionGroup* colorMaps;
  /// The actions' data is empty for the system's theme, or a ViewSettings::Theme.
  QActionGroup* themes;
  QAction* fullScreen;
  QMenu* panels;
  QAction* resetLayout;
  QAction* cancel;

  QAction* palette;
  QAction* explain;
  QAction* shortcuts;
  QAction* about;

 private:
  /// `name` identifies the action in files that keep a user's keys.
  QAction* add(QMenu* menu, const QString& name, const QString& text,
               const QList<QKeySequence>& keys = {});
  void addFileMenu(QMainWindow& window);
  void addEditMenu(QMainWindow& window);
  void addViewMenu(QMainWindow& window);
  void addHelpMenu(QMainWindow& window);
};

}  // namespace softscope
