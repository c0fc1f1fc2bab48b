#include "app/window/ThemeChoice.h"

#include "widgets/controls/Theme.h"

#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QApplication>

namespace softscope {
namespace {

std::optional<ViewSettings::Theme> themeOf(const QAction& action) {
  if (!action.data().isValid()) return std::nullopt;
  return static_cast<ViewSettings::Theme>(action.data().toInt());
}

}  // namespace

ThemeChoice::ThemeChoice(QActionGroup& actions, QObject* parent)
    : QObject(parent), actions_(actions), systemTheme_(systemTheme()) {
  connect(&actions, &QActionGroup::triggered, this, [this](const QAction* action) {
    choose(themeOf(*action));
    Q_EMIT chosen(themeOf(*action));
  });
}

void ThemeChoice::choose(std::optional<ViewSettings::Theme> theme) {
  applyTheme(*qApp, theme.value_or(systemTheme_));
  for (QAction* action : actions_.actions()) action->setChecked(themeOf(*action) == theme);
}

}  // namespace softscope
