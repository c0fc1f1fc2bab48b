#include "app/window/WindowActions.h"

#include "app/window/contents/WindowPages.h"
#include "core/image/ColorMap.h"

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

QAction* WindowActions::add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys) {
  QAction* action = menu->addAction(text);
  action->setShortcuts(keys);
  return action;
}

void WindowActions::addFileMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&File"));
  openPicture = add(menu, tr("Open &picture…"), {QKeySequence(tr("Ctrl+O"))});
  openModel = add(menu, tr("Open &model…"), {QKeySequence(tr("Ctrl+M"))});
  openBeside = add(menu, tr("Open model &beside…"), {QKeySequence(tr("Ctrl+Shift+M"))});
  renameModel = add(menu, tr("&Rename model…"), {QKeySequence(tr("F2"))});
  closeModel = add(menu, tr("Close model"), {QKeySequence(tr("Ctrl+W"))});
  samples = menu->addMenu(tr("Samples"));
  recentPictures = menu->addMenu(tr("Recent pictures"));
  recentModels = menu->addMenu(tr("Recent models"));
  menu->addSeparator();
  openWorkspace = add(menu, tr("Open &workspace…"), {QKeySequence(tr("Ctrl+Shift+O"))});
  saveWorkspace = add(menu, tr("&Save workspace"), {QKeySequence(tr("Ctrl+S"))});
  saveWorkspaceAs = add(menu, tr("Save workspace &as…"), {QKeySequence(tr("Ctrl+Shift+S"))});
  recentWorkspaces = menu->addMenu(tr("Recent workspaces"));
  lastSession = add(menu, tr("Open the &last session"));
  locateMissing = add(menu, tr("Locate missing &files…"));
  locateMissing->setEnabled(false);
  menu->addSeparator();
  newSurvey = add(menu, tr("New surve&y…"), {QKeySequence(tr("Ctrl+Shift+U"))});
  openSurvey = add(menu, tr("Open sur&vey…"), {QKeySequence(tr("Ctrl+U"))});
  recentSurveys = menu->addMenu(tr("Recent surveys"));
  menu->addSeparator();
  exportFigure = add(menu, tr("&Export figure…"), {QKeySequence(tr("Ctrl+E"))});
  saveNumbers = add(menu, tr("Save the &numbers…"), {QKeySequence(tr("Ctrl+Shift+E"))});
  menu->addSeparator();
  quit = add(menu, tr("&Quit"), {QKeySequence(tr("Ctrl+Q"))});
}

void WindowActions::addEditMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Edit"));
  undo = add(menu, tr("&Undo query"), {QKeySequence(tr("Ctrl+Z"))});
  redo =
      add(menu, tr("&Redo query"), {QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
  pin = add(menu, tr("&Pin the query"), {QKeySequence(tr("P"))});
  clearPins = add(menu, tr("Clear pins"), {QKeySequence(tr("Shift+P"))});
  menu->addSeparator();
  copy = add(menu, tr("&Copy figure"), {QKeySequence(tr("Ctrl+C"))});
  copyCommand = add(menu, tr("Copy figure as co&mmand"), {QKeySequence(tr("Ctrl+Shift+C"))});
  copyNumbers = add(menu, tr("Copy the &numbers"), {QKeySequence(tr("Ctrl+Alt+C"))});
  paste = add(menu, tr("P&aste picture or file"), {QKeySequence(tr("Ctrl+V"))});
}

void WindowActions::addViewMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&View"));
  pages = new QActionGroup(this);
  for (const WindowPage& page : windowPages()) {
    QAction* action = add(menu, page.title, {QKeySequence(page.shortcut)});
    action->setCheckable(true);
    action->setData(page.name);
    pages->addAction(action);
  }
  menu->addSeparator();
  previousModel = add(menu, tr("Previous model"), {QKeySequence(tr("Ctrl+PgUp"))});
  nextModel = add(menu, tr("Next model"), {QKeySequence(tr("Ctrl+PgDown"))});
  menu->addSeparator();
  swapDirection = add(menu, tr("&Who attends to the patch"), {QKeySequence(tr("R"))});
  swapDirection->setCheckable(true);
  classToken = add(menu, tr("Ask the class token or a re&gister"), {QKeySequence(tr("C"))});
  classToken->setCheckable(true);
  menu->addSeparator();
  previousLayer = add(menu, tr("Previous layer"), {QKeySequence(tr("["))});
  nextLayer = add(menu, tr("Next layer"), {QKeySequence(tr("]"))});
  menu->addSeparator();
  previousHead = add(menu, tr("Previous head alone"), {QKeySequence(tr(","))});
  nextHead = add(menu, tr("Next head alone"), {QKeySequence(tr("."))});
  allHeads = add(menu, tr("&All heads"), {QKeySequence(tr("A"))});
  menu->addSeparator();
  moreOpaque = add(menu, tr("More opaque"), {QKeySequence(tr("+")), QKeySequence(tr("="))});
  lessOpaque = add(menu, tr("Less opaque"), {QKeySequence(tr("-"))});
  smooth = add(menu, tr("&Smooth between patches"), {QKeySequence(tr("S"))});
  smooth->setCheckable(true);

  menu->addSeparator();
  zoomIn = add(menu, tr("Zoom in"), {QKeySequence(tr("Ctrl++")), QKeySequence(tr("Ctrl+="))});
  zoomOut = add(menu, tr("Zoom out"), {QKeySequence(tr("Ctrl+-"))});
  zoomReset = add(menu, tr("Show all of it again"), {QKeySequence(tr("Ctrl+0"))});
  menu->addSeparator();

  QMenu* maps = menu->addMenu(tr("Co&lours"));
  colorMaps = new QActionGroup(this);
  for (const std::string& name : colorMapNames()) {
    if (colorMap(name).diverging) continue;
    QAction* action = maps->addAction(QString::fromStdString(name));
    action->setCheckable(true);
    action->setData(action->text());
    colorMaps->addAction(action);
  }

  QMenu* looks = menu->addMenu(tr("Th&eme"));
  themes = new QActionGroup(this);
  const auto addTheme = [&](const QString& text, const QVariant& theme) {
    QAction* action = looks->addAction(text);
    action->setCheckable(true);
    action->setData(theme);
    themes->addAction(action);
  };
  addTheme(tr("As the system"), {});
  addTheme(tr("Light"), static_cast<int>(ViewSettings::Theme::Light));
  addTheme(tr("Dark"), static_cast<int>(ViewSettings::Theme::Dark));

  menu->addSeparator();
  fullScreen = add(menu, tr("&Full screen"), {QKeySequence(tr("F11"))});
  fullScreen->setCheckable(true);
  panels = menu->addMenu(tr("&Panels"));
  resetLayout = add(menu, tr("Reset layout"));
  cancel = add(menu, tr("Cancel work, dismiss error"), {QKeySequence(tr("Esc"))});
}

void WindowActions::addHelpMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Help"));
  palette = add(menu, tr("Command &palette…"), {QKeySequence(tr("Ctrl+K"))});
  explain = add(menu, tr("&What this page shows"), {QKeySequence(tr("F1"))});
  explain->setCheckable(true);
  shortcuts = add(menu, tr("&Keyboard and mouse"), {QKeySequence(tr("Shift+F1"))});
  about = add(menu, tr("&About Softscope"));
}

}  // namespace softscope
