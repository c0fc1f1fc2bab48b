#pragma once

#include "core/model/NetworkSetting.h"

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <string>
#include <vector>

class QComboBox;
class QFormLayout;

namespace softscope {

/// A row for each thing that a model's weights leave open beside mechanism and heads: its
/// activation, the epsilon of its norms, ... with what else it may be, and who says what it is.
class SettingRows : public QWidget {
  Q_OBJECT

 public:
  explicit SettingRows(QWidget* parent = nullptr);

  /// Width of all labels, so that these rows stand in line with the ones above.
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
  /// In the order of what is shown.
  std::vector<QComboBox*> combos_;
};

/// How a setting is called where it stands by itself: `Epsilon`, `Mean and deviation`.
QString settingTitle(const std::string& option);

}  // namespace softscope
