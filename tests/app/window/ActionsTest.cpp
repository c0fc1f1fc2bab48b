#include "app/window/MainWindow.h"
#include "app/window/WindowActions.h"
#include "app/window/contents/CommandPalette.h"
#include "app/window/preferences/ActionShortcuts.h"
#include "tests/widgets/SyntheticModel.h"
#include "tests/widgets/workspace/Settle.h"
#include "widgets/controls/NameText.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtGui/QAction>
#include <QtWidgets/QApplication>
#include <QtWidgets/QDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMenuBar>

#include <gtest/gtest.h>

namespace softscope {
namespace {

enum class Opened { Nothing, Picture, Model, Both, TwoModels };

WindowOptions optionsFor(Opened opened) {
  WindowOptions options;
  const bool picture = opened != Opened::Nothing && opened != Opened::Model;
  const bool model = opened != Opened::Nothing && opened != Opened::Picture;
  if (picture) options.picturePath = test::writeTestPicture(128, 64);
  ModelRequest request;
  request.path = "soft.pth";
  if (model) options.models.push_back(request);
  if (opened == Opened::TwoModels) options.models.push_back(request);
  return options;
}

/// Lists of recent files are filled anew when one is opened: their entries may be gone.
using Actions = std::vector<QPointer<QAction>>;

void collect(const QMenu& menu, Actions& actions) {
  for (QAction* action : menu.actions()) {
    if (action->menu()) {
      collect(*action->menu(), actions);
    } else if (!action->isSeparator()) {
      actions.emplace_back(action);
    }
  }
}

Actions allActions(const MainWindow& window) {
  Actions actions;
  for (const QAction* top : window.menuBar()->actions()) {
    if (top->menu()) collect(*top->menu(), actions);
  }
  return actions;
}

/// Dialogs run their own loop; whichever an action opens is dismissed from inside it, and so are
/// those that follow, as where several files are missing.
void dismissDialogs() {
  QTimer::singleShot(0, qApp, [] {
    bool dismissed = false;
    for (QWidget* widget : QApplication::topLevelWidgets()) {
      auto* dialog = qobject_cast<QDialog*>(widget);
      if (!dialog || !dialog->isVisible()) continue;
      dismissed = true;
      dialog->reject();
    }
    if (dismissed) dismissDialogs();
  });
}

/// The letter after the single ampersand, in lower case; null without one.
QChar mnemonic(const QString& text) {
  const qsizetype place = text.indexOf(u'&');
  return place < 0 || place + 1 == text.size() ? QChar() : text.at(place + 1).toLower();
}

TEST(MenuTest, NoLetterOfAMenuMeansTwoThings) {
  MainWindow window(test::syntheticEngine(), optionsFor(Opened::Nothing));
  for (const QAction* top : window.menuBar()->actions()) {
    QString letters;
    for (const QAction* action : top->menu()->actions()) {
      const QChar letter = mnemonic(action->text());
      if (letter.isNull()) continue;
      EXPECT_FALSE(letters.contains(letter))
          << top->text().toStdString() << ": " << action->text().toStdString();
      letters += letter;
    }
    EXPECT_FALSE(letters.isEmpty()) << top->text().toStdString();
  }
}

TEST(MenuTest, EveryActionIsInThePaletteAndItsKeysCanBeChosen) {
  MainWindow window(test::syntheticEngine(), optionsFor(Opened::TwoModels));
  test::settle(window.workspace());
  const ActionShortcuts shortcuts(*window.menuBar());
  QStringList found;
  for (const PaletteEntry& entry : paletteEntries(*window.menuBar(), window.workspace())) {
    found += entry.text.section(QStringLiteral(": "), -1);
  }
  QStringList names;
  for (const QPointer<QAction>& action : allActions(window)) {
    if (!action) continue;
    if (action->isEnabled()) {
      EXPECT_TRUE(found.contains(menuText(action->text()))) << action->text().toStdString();
    }
    // Recent files and samples come and go.
    const auto* menu = qobject_cast<const QMenu*>(action->parent());
    const bool isFile = menu && (menu->title().startsWith(QStringLiteral("Recent")) ||
                                 menu->title() == QStringLiteral("Samples"));
    if (isFile) continue;
    EXPECT_TRUE(shortcuts.find(action->objectName())) << action->text().toStdString();
    EXPECT_FALSE(names.contains(action->objectName())) << action->objectName().toStdString();
    names += action->objectName();
  }
  EXPECT_EQ(static_cast<std::size_t>(names.size()), shortcuts.actions().size());
}

TEST(MenuTest, NoKeysMeanTwoThingsAndAllCanBeHad) {
  const MainWindow window(test::syntheticEngine(), {});
  const ActionShortcuts shortcuts(*window.menuBar());
  int compared = 0;
  for (std::size_t i = 0; i < shortcuts.actions().size(); ++i) {
    const ActionWithKeys& known = shortcuts.actions()[i];
    for (const QKeySequence& keys : known.keys()) {
      ++compared;
      EXPECT_FALSE(shortcuts.ownerOf(keys, i)) << keys.toString().toStdString();
      EXPECT_TRUE(ActionShortcuts::refusalOf(keys).isEmpty()) << keys.toString().toStdString();
    }
  }
  EXPECT_GE(compared, 30);
}

class ActionsTest : public testing::TestWithParam<Opened> {};

// The tests' main() fails on anything Qt says, so that silence is checked too.
TEST_P(ActionsTest, EveryActionOfEveryMenuCanBeTriggeredOnce) {
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  MainWindow window(test::syntheticEngine(), optionsFor(GetParam()));
  window.show();
  test::settle(window.workspace());
  int triggered = 0;
  for (const QPointer<QAction>& action : allActions(window)) {
    if (!action || action->text().remove(u'&') == QStringLiteral("Quit")) continue;
    if (!action->isEnabled()) continue;
    dismissDialogs();
    action->trigger();
    ++triggered;
    test::settle(window.workspace());
  }
  EXPECT_GE(triggered, 15);
}

INSTANTIATE_TEST_SUITE_P(InEveryState, ActionsTest,
                         testing::Values(Opened::Nothing, Opened::Picture, Opened::Model,
                                         Opened::Both, Opened::TwoModels));

}  // namespace
}  // namespace softscope
