#include "app/WindowActions.h"

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
  recentPictures = menu->addMenu(tr("Recent pictures"));
  recentModels = menu->addMenu(tr("Recent models"));
  menu->addSeparator();
  exportFigure = add(menu, tr("&Export figure…"), {QKeySequence(tr("Ctrl+E"))});
  menu->addSeparator();
  quit = add(menu, tr("&Quit"), {QKeySequence(tr("Ctrl+Q"))});
}

void WindowActions::addEditMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Edit"));
  undo = add(menu, tr("&Undo query"), {QKeySequence(tr("Ctrl+Z"))});
  redo =
      add(menu, tr("&Redo query"), {QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
  menu->addSeparator();
  copy = add(menu, tr("&Copy figure"), {QKeySequence(tr("Ctrl+C"))});
  paste = add(menu, tr("&Paste picture or file"), {QKeySequence(tr("Ctrl+V"))});
}

void WindowActions::addViewMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&View"));
  swapDirection = add(menu, tr("&Who attends to the patch"), {QKeySequence(tr("R"))});
  swapDirection->setCheckable(true);
  classToken = add(menu, tr("Ask the &class token"), {QKeySequence(tr("C"))});
  classToken->setCheckable(true);
  menu->addSeparator();
  previousLayer = add(menu, tr("Previous layer"), {QKeySequence(tr("["))});
  nextLayer = add(menu, tr("Next layer"), {QKeySequence(tr("]"))});
  menu->addSeparator();
  moreOpaque = add(menu, tr("More opaque"), {QKeySequence(tr("+")), QKeySequence(tr("="))});
  lessOpaque = add(menu, tr("Less opaque"), {QKeySequence(tr("-"))});
  smooth = add(menu, tr("&Smooth between patches"), {QKeySequence(tr("S"))});
  smooth->setCheckable(true);

  QMenu* maps = menu->addMenu(tr("C&olours"));
  colorMaps = new QActionGroup(this);
  for (const std::string& name : colorMapNames()) {
    if (colorMap(name).diverging) continue;
    QAction* action = maps->addAction(QString::fromStdString(name));
    action->setCheckable(true);
    action->setData(action->text());
    colorMaps->addAction(action);
  }

  QMenu* looks = menu->addMenu(tr("&Theme"));
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
  panels = menu->addMenu(tr("&Panels"));
  resetLayout = add(menu, tr("Reset layout"));
  cancel = add(menu, tr("Cancel work, dismiss error"), {QKeySequence(tr("Esc"))});
}

void WindowActions::addHelpMenu(QMainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(tr("&Help"));
  shortcuts = add(menu, tr("&Keyboard and mouse"), {QKeySequence(tr("F1"))});
  about = add(menu, tr("&About Softscope"));
}

}  // namespace softscope
