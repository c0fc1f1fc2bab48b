#include "app/window/WindowPreferences.h"

#include "app/window/WindowActions.h"
#include "app/window/WindowOptions.h"
#include "app/window/preferences/ActionShortcuts.h"
#include "core/network/Device.h"
#include "widgets/controls/Theme.h"
#include "widgets/workspace/ModelQueue.h"
#include "widgets/workspace/OpenModels.h"
#include "widgets/workspace/Workspace.h"

#include <QtCore/QSettings>
#include <QtGui/QAction>
#include <QtGui/QActionGroup>
#include <QtWidgets/QApplication>
#include <QtWidgets/QMainWindow>

#include <algorithm>
#include <utility>

namespace softscope {
namespace {

std::optional<ViewSettings::Theme> themeOf(const QAction& action) {
  if (!action.data().isValid()) return std::nullopt;
  return static_cast<ViewSettings::Theme>(action.data().toInt());
}

bool isThere(const std::string& device) {
  if (device == ComputeSettings().device) return true;
  const std::vector<ComputeDevice> devices = availableDevices();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const ComputeDevice& there) { return there.name == device; });
}

/// Returns the settings of this run: the command line's, or else the preferred ones.
ComputeSettings computeOf(const WindowOptions& options, const ComputeSettings& preferred) {
  ComputeSettings compute = preferred;
  if (options.threads > 0) compute.threads = options.threads;
  if (!options.device.empty()) compute.device = options.device;
  return compute;
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

WindowPreferences::WindowPreferences(const WindowOptions& options, WindowSettings& settings,
                                     const WindowActions& actions, Workspace& workspace,
                                     QObject* parent)
    : QObject(parent),
      settings_(settings),
      workspace_(workspace),
      theme_(new ThemeChoice(*actions.themes, this)),
      systemFont_(QApplication::font()) {
  theme_->choose(options.theme ? *options.theme : settings.preferences.theme);
  applyTextSize();
  ComputeSettings compute = computeOf(options, settings.compute);
  if (options.device.empty() && !isThere(compute.device)) {
    missingDevice_ = QString::fromStdString(compute.device);
    compute.device = ComputeSettings().device;
  }
  workspace.setCompute(compute);
  connect(theme_, &ThemeChoice::chosen, this, [this](std::optional<ViewSettings::Theme> chosen) {
    settings_.preferences.theme = chosen;
    keep();
    showInDialog();
    Q_EMIT looksChanged();
  });
}

WindowPreferences::~WindowPreferences() {
  setTextSize(*qApp, systemFont_, 1);
}

void WindowPreferences::tellMissing() {
  if (missingDevice_.isEmpty()) return;
  Q_EMIT said(tr("%1, chosen in Preferences, is not available; models run on the CPU.")
                  .arg(missingDevice_));
}

void WindowPreferences::warnNotSaved() {
  Q_EMIT said(tr("Preferences apply to this window only, because %1 cannot be written.")
                  .arg(QSettings().fileName()));
}

void WindowPreferences::openDialog(QMainWindow& window, ActionShortcuts& shortcuts,
                                   PreferencesDialog::Part part) {
  if (!dialog_) {
    dialog_ = new PreferencesDialog(shortcuts, availableDevices(), &window);
    dialog_->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog_, &PreferencesDialog::preferencesChosen, this, &WindowPreferences::choose);
    connect(dialog_, &PreferencesDialog::computeChosen, this, &WindowPreferences::chooseCompute);
  }
  showInDialog();
  dialog_->turnTo(part);
  dialog_->setVisible(true);
  dialog_->raise();
  dialog_->activateWindow();
}

void WindowPreferences::choose(const Preferences& chosen) {
  const Preferences before = std::exchange(settings_.preferences, chosen);
  keep();
  if (chosen.theme != before.theme) theme_->choose(chosen.theme);
  if (chosen.textSize != before.textSize) applyTextSize();
  if (chosen.theme != before.theme || chosen.textSize != before.textSize) Q_EMIT looksChanged();
  if (chosen.textSize != before.textSize) Q_EMIT lettersChanged();
  if (chosen.autosave != before.autosave) Q_EMIT autosaveChanged(chosen.autosave);
  showInDialog();
}

void WindowPreferences::chooseCompute(const ComputeSettings& chosen) {
  const ComputeSettings before = std::exchange(settings_.compute, chosen);
  keep();
  // The command line's values stay in effect until the user changes them.
  ComputeSettings compute = chosen;
  if (chosen.threads == before.threads) compute.threads = workspace_.compute().threads;
  if (chosen.device == before.device) compute.device = workspace_.compute().device;
  const bool moves = compute.device != workspace_.compute().device;
  workspace_.setCompute(compute);
  const OpenedModel* current = workspace_.models().current();
  if (moves && current && !current->summary().recorded)
    workspace_.queue().setDevice(compute.device);
  showInDialog();
}

void WindowPreferences::keep() {
  if (!writePreferences(settings_)) warnNotSaved();
}

void WindowPreferences::applyTextSize() {
  setTextSize(*qApp, systemFont_, settings_.preferences.textSize / 100.0);
}

void WindowPreferences::showInDialog() {
  if (dialog_) dialog_->setShown(settings_.preferences, settings_.compute);
}

}  // namespace softscope
