#include "app/window/WindowActions.h"

#include "app/window/contents/WindowPages.h"
#include "core/image/ColorMap.h"
#include "widgets/settings/Preferences.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QKeySequence>
#include <QtWidgets/QMainWindow>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

namespace softscope {

WindowActions::WindowActions(QMainWindow& window) : QObject(&window) {
  addFileMenu(window);
  addEditMenu(window);
  addViewMenu(window);
  addHelpMenu(window);
}

QAction* WindowActions::add(QMenu* menu, const QString& name, const QString& text,
                            const QList<QKeySequence>& keys) {
  QAction* action = menu->addAction(text);
  action->setObjectName(name);
  action->setShortcuts(keys);
  return action;
}

void WindowActions::addFileMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&File"));
  openPicture = add(menu, "openPicture", tr("Open &picture…"), {QKeySequence(tr("Ctrl+O"))});
  openModel = add(menu, "openModel", tr("Open &model…"), {QKeySequence(tr("Ctrl+M"))});
  openSeries = add(menu, "openSeries", tr("Open a training's &checkpoints…"));
  openBeside =
      add(menu, "openBeside", tr("Open model &beside…"), {QKeySequence(tr("Ctrl+Shift+M"))});
  openPair = add(menu, "openPair", tr("SOFT beside SOFT++"), {QKeySequence(tr("Ctrl+B"))});
  renameModel = add(menu, "renameModel", tr("&Rename model…"), {QKeySequence(tr("F2"))});
  nameClasses = add(menu, "nameClasses", tr("Class names…"));
  closeModel = add(menu, "closeModel", tr("Close model"), {QKeySequence(tr("Ctrl+W"))});
  samples = menu->addMenu(tr("Samples"));
  recentPictures = menu->addMenu(tr("Recent pictures"));
  recentModels = menu->addMenu(tr("Recent models"));
  menu->addSeparator();
  openWorkspace =
      add(menu, "openWorkspace", tr("Open &workspace…"), {QKeySequence(tr("Ctrl+Shift+O"))});
  saveWorkspace = add(menu, "saveWorkspace", tr("&Save workspace"), {QKeySequence(tr("Ctrl+S"))});
  saveWorkspaceAs =
      add(menu, "saveWorkspaceAs", tr("Save workspace &as…"), {QKeySequence(tr("Ctrl+Shift+S"))});
  recentWorkspaces = menu->addMenu(tr("Recent workspaces"));
  lastSession = add(menu, "lastSession", tr("Open the &last session"));
  goBack = add(menu, "goBack", tr("Go back to what was open"));
  locateMissing = add(menu, "locateMissing", tr("Locate missing &files…"));
  locateMissing->setEnabled(false);
  forgetMissing = add(menu, "forgetMissing", tr("Forget what did not open"));
  forgetMissing->setEnabled(false);
  menu->addSeparator();
  newSurvey = add(menu, "newSurvey", tr("New surve&y…"), {QKeySequence(tr("Ctrl+Shift+U"))});
  openSurvey = add(menu, "openSurvey", tr("Open sur&vey…"), {QKeySequence(tr("Ctrl+U"))});
  recentSurveys = menu->addMenu(tr("Recent surveys"));
  menu->addSeparator();
  exportFigure = add(menu, "exportFigure", tr("&Export figure…"), {QKeySequence(tr("Ctrl+E"))});
  exportPages = add(menu, "exportPages", tr("Export pa&ges…"), {QKeySequence(tr("Ctrl+Alt+E"))});
  exportInteractive = add(menu, "exportInteractive", tr("Export &interactive page…"));
  exportSweep = add(menu, "exportSweep", tr("Expor&t sweep…"));
  saveNumbers =
      add(menu, "saveNumbers", tr("Save the &numbers…"), {QKeySequence(tr("Ctrl+Shift+E"))});
  menu->addSeparator();
  quit = add(menu, "quit", tr("&Quit"), {QKeySequence(tr("Ctrl+Q"))});
  // Works in every window of the program, including dialogs beside the main one.
  quit->setShortcutContext(Qt::ApplicationShortcut);
}

void WindowActions::addEditMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Edit"));
  undo = add(menu, "undo", tr("&Undo query"), {QKeySequence(tr("Ctrl+Z"))});
  redo = add(menu, "redo", tr("&Redo query"),
             {QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
  pin = add(menu, "pin", tr("&Pin the query"), {QKeySequence(tr("P"))});
  clearPins = add(menu, "clearPins", tr("Clear pins"), {QKeySequence(tr("Shift+P"))});
  menu->addSeparator();
  copy = add(menu, "copy", tr("&Copy figure"), {QKeySequence(tr("Ctrl+C"))});
  copyCommand =
      add(menu, "copyCommand", tr("Copy figure as co&mmand"), {QKeySequence(tr("Ctrl+Shift+C"))});
  copyNumbers = add(menu, "copyNumbers", tr("Copy the &numbers"), {QKeySequence(tr("Ctrl+Alt+C"))});
  paste = add(menu, "paste", tr("P&aste picture or file"), {QKeySequence(tr("Ctrl+V"))});
  menu->addSeparator();
  preferences = add(menu, "preferences", tr("Pre&ferences…"), {QKeySequence(tr("Ctrl+,"))});
  preferences->setMenuRole(QAction::PreferencesRole);
  editShortcuts = add(menu, "editShortcuts", tr("Keyboard &shortcuts…"));
}

void WindowActions::addViewMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&View"));
  // With all pages in it, this menu would be higher than a low screen.
  QMenu* pagesMenu = menu->addMenu(tr("&Turn to page"));
  pagesMenu->setObjectName(QStringLiteral("pageMenu"));
  pages = new QActionGroup(this);
  for (const WindowPage& page : windowPages()) {
    QList<QKeySequence> keys;
    if (!page.shortcut.isEmpty()) keys += QKeySequence(page.shortcut);
    QAction* action = add(pagesMenu, QLatin1String("page-") + page.name, page.title, keys);
    action->setCheckable(true);
    action->setData(page.name);
    pages->addAction(action);
  }
  menu->addSeparator();
  previousModel = add(menu, "previousModel", tr("Previous model"), {QKeySequence(tr("Ctrl+PgUp"))});
  nextModel = add(menu, "nextModel", tr("Next model"), {QKeySequence(tr("Ctrl+PgDown"))});
  flipModel = add(menu, "flipModel", tr("Flip between two models"), {QKeySequence(tr("X"))});
  menu->addSeparator();
  swapDirection =
      add(menu, "swapDirection", tr("&Who attends to the patch"), {QKeySequence(tr("R"))});
  swapDirection->setCheckable(true);
  classToken =
      add(menu, "classToken", tr("Ask the class token or a re&gister"), {QKeySequence(tr("C"))});
  classToken->setCheckable(true);
  menu->addSeparator();
  previousLayer = add(menu, "previousLayer", tr("Previous layer"), {QKeySequence(tr("["))});
  nextLayer = add(menu, "nextLayer", tr("Next layer"), {QKeySequence(tr("]"))});
  menu->addSeparator();
  previousHead = add(menu, "previousHead", tr("Previous head alone"), {QKeySequence(tr(","))});
  nextHead = add(menu, "nextHead", tr("Next head alone"), {QKeySequence(tr("."))});
  allHeads = add(menu, "allHeads", tr("&All heads"), {QKeySequence(tr("A"))});
  menu->addSeparator();
  moreOpaque =
      add(menu, "moreOpaque", tr("More opaque"), {QKeySequence(tr("+")), QKeySequence(tr("="))});
  lessOpaque = add(menu, "lessOpaque", tr("Less opaque"), {QKeySequence(tr("-"))});
  smooth = add(menu, "smooth", tr("&Smooth between patches"), {QKeySequence(tr("S"))});
  smooth->setCheckable(true);

  menu->addSeparator();
  zoomIn =
      add(menu, "zoomIn", tr("Zoom in"), {QKeySequence(tr("Ctrl++")), QKeySequence(tr("Ctrl+="))});
  zoomOut = add(menu, "zoomOut", tr("Zoom out"), {QKeySequence(tr("Ctrl+-"))});
  zoomReset = add(menu, "zoomReset", tr("Show all of it again"), {QKeySequence(tr("Ctrl+0"))});
  menu->addSeparator();

  QMenu* maps = menu->addMenu(tr("Co&lours"));
  colorMaps = new QActionGroup(this);
  for (const std::string& name : colorMapNames()) {
    if (colorMap(name).diverging) continue;
    const QString title = QString::fromStdString(name);
    QAction* action = add(maps, QLatin1String("colours-") + title, title);
    action->setCheckable(true);
    action->setData(title);
    colorMaps->addAction(action);
  }

  QMenu* looks = menu->addMenu(tr("Th&eme"));
  themes = new QActionGroup(this);
  for (const auto& [theme, name, label] : themeNames) {
    QAction* action = add(looks, QLatin1String("theme-") + QLatin1String(name), tr(label));
    action->setCheckable(true);
    if (theme) action->setData(static_cast<int>(*theme));
    themes->addAction(action);
  }

  menu->addSeparator();
  fullScreen = add(menu, "fullScreen", tr("&Full screen"), {QKeySequence(tr("F11"))});
  fullScreen->setCheckable(true);
  panels = menu->addMenu(tr("&Panels"));
  resetLayout = add(menu, "resetLayout", tr("Reset layout"));
  cancel = add(menu, "cancel", tr("Cancel work, dismiss error"), {QKeySequence(tr("Esc"))});
}

void WindowActions::addHelpMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Help"));
  palette = add(menu, "palette", tr("Command &palette…"), {QKeySequence(tr("Ctrl+K"))});
  explain = add(menu, "explain", tr("&What this page shows"), {QKeySequence(tr("F1"))});
  explain->setCheckable(true);
  shortcuts = add(menu, "shortcuts", tr("&Keyboard and mouse"), {QKeySequence(tr("Shift+F1"))});
  about = add(menu, "about", tr("&About Softscope"));
}

}  // namespace softscope
