#pragma once

#include "core/machine/ComputeDevice.h"
#include "widgets/settings/ComputeSettings.h"
#include "widgets/settings/Preferences.h"

#include <QtWidgets/QDialog>

#include <vector>

class QTabWidget;

namespace softscope {

class ActionShortcuts;
class PreferencesForm;

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
