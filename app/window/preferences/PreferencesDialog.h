#pragma once

#include "core/machine/ComputeDevice.h"
#include "widgets/controls/SettingControls.h"
#include "widgets/settings/ComputeSettings.h"
#include "widgets/settings/Preferences.h"

#include <QtWidgets/QDialog>
#include <QtWidgets/QWidget>

#include <vector>

class QComboBox;
class QGridLayout;
class QTabWidget;

namespace softscope {

class ActionShortcuts;

/// The controls of the preferences, each with an explanation below it.
class PreferencesForm : public QWidget {
  Q_OBJECT

 public:
  /// `devices` lists the devices that models can run on here.
  explicit PreferencesForm(const std::vector<ComputeDevice>& devices, QWidget* parent = nullptr);

  /// Sets the values that the controls show.
  void setShown(const Preferences& preferences, const ComputeSettings& compute);

 Q_SIGNALS:
  void preferencesChosen(const softscope::Preferences& preferences);
  void computeChosen(const softscope::ComputeSettings& compute);

 private:
  void addHeading(const QString& text);
  void addRow(const SettingText& text, QWidget* control);
  void addPreferences();
  void addCompute(const std::vector<ComputeDevice>& devices);
  void tellPreferences();
  void tellCompute();

  QGridLayout* grid_;
  SettingControls<Preferences> controls_;
  SettingControls<ComputeSettings> computeControls_;
  QComboBox* device_;
};

/// The permanent preferences of the user. Every change takes effect at once; there is nothing to
/// confirm.
class PreferencesDialog : public QDialog {
  Q_OBJECT

 public:
  enum class Part { General, Shortcuts };

  PreferencesDialog(ActionShortcuts& shortcuts, const std::vector<ComputeDevice>& devices,
                    QWidget* parent = nullptr);

  /// Sets the values that the controls show.
  void setShown(const Preferences& preferences, const ComputeSettings& compute);
  void turnTo(Part part);

 Q_SIGNALS:
  void preferencesChosen(const softscope::Preferences& preferences);
  void computeChosen(const softscope::ComputeSettings& compute);

 private:
  PreferencesForm* form_;
  QTabWidget* parts_;
};

}  // namespace softscope
