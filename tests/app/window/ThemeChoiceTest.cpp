#include "app/window/ThemeChoice.h"
#include "app/window/WindowActions.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtGui/QPalette>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMainWindow>

#include <gtest/gtest.h>

namespace softscope {
namespace {

bool isDark() {
  return QApplication::palette().color(QPalette::Window).lightness() < 128;
}

TEST(ThemeChoiceTest, IsAppliedAndCheckedAndTheUsersIsTold) {
  QMainWindow window;
  const auto& actions = *new WindowActions(window);
  ThemeChoice choice(*actions.themes);
  std::vector<std::optional<ViewSettings::Theme>> told;
  QObject::connect(&choice, &ThemeChoice::chosen,
                   [&](std::optional<ViewSettings::Theme> theme) { told.push_back(theme); });
  const auto theme = [&](int index) { return actions.themes->actions().at(index); };

  choice.choose(ViewSettings::Theme::Dark);
  EXPECT_TRUE(isDark());
  EXPECT_TRUE(theme(2)->isChecked());
  choice.choose(ViewSettings::Theme::Light);
  EXPECT_FALSE(isDark());
  EXPECT_TRUE(theme(1)->isChecked());
  EXPECT_TRUE(told.empty()) << "the user chose nothing";

  theme(2)->trigger();
  EXPECT_TRUE(isDark());
  theme(0)->trigger();
  EXPECT_EQ(actions.themes->checkedAction(), theme(0));
  using Themes = std::vector<std::optional<ViewSettings::Theme>>;
  EXPECT_EQ(told, (Themes{ViewSettings::Theme::Dark, std::nullopt}));
}

}  // namespace
}  // namespace softscope
