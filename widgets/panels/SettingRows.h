#pragma once

#include "core/attention/LandmarkChoice.h"
#include "core/model/ModelSummary.h"

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <string>
#include <vector>

class QComboBox;
class QFormLayout;
class QSpinBox;

namespace softscope {

/// Fields for how many chosen landmarks each layer gets, and for the seed of random ones.
class LandmarkNumbers : public QWidget {
  Q_OBJECT

 public:
  explicit LandmarkNumbers(QWidget* parent = nullptr);

  /// Shows the numbers of a choice; the seed only if the choice uses one.
  void setChoice(const LandmarkChoice& choice);

 Q_SIGNALS:
  /// The shown choice with the numbers that the user entered; not sent while the user is typing.
  void chosen(const softscope::LandmarkChoice& choice);

 private:
  void choose();

  QSpinBox* count_;
  QSpinBox* seed_;
  LandmarkChoice shown_;
};

/// A row for each setting that a model's weights leave open apart from mechanism and heads (its
/// activation, the epsilon of its norms, ...), with its possible values and the source of its
/// present one.
class SettingRows : public QWidget {
  Q_OBJECT

 public:
  explicit SettingRows(QWidget* parent = nullptr);

  /// Sets the width of all labels, so that these rows align with those above.
  void setLabelWidth(int width) { labelWidth_ = width; }
  /// Shows those of the settings that were guessed or chosen.
  void setSettings(const std::vector<NetworkSetting>& settings);

 Q_SIGNALS:
  void chosen(const std::string& option, const std::string& value);

 private:
  void addRow(const NetworkSetting& setting);

  QFormLayout* form_;
  int labelWidth_ = 0;
  std::vector<NetworkSetting> shown_;
  /// One combo box for each shown setting, in the same order.
  std::vector<QComboBox*> combos_;
};

/// Returns a setting's name for use on its own: `Epsilon`, `Mean and deviation`.
QString settingTitle(const std::string& option);

}  // namespace softscope
