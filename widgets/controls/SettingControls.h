#pragma once

#include "core/Setting.h"

#include <QtCore/QSignalBlocker>
#include <QtCore/QString>
#include <QtGui/QFont>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFontComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QSpinBox>

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace softscope {

/// Makes a check box with a tool tip; its text is also its name for screen readers.
inline QCheckBox* checkBox(QWidget* parent, const QString& text, const QString& tip) {
  auto* box = new QCheckBox(text, parent);
  box->setAccessibleName(text);
  box->setToolTip(tip);
  return box;
}

/// Returns what is said of the setting with that key, for controls that SettingControls cannot
/// make. A key without a setting does not compile.
template <typename... Settings>
consteval SettingText settingText(const std::tuple<Settings...>& settings, std::string_view key) {
  SettingText found{.key = nullptr, .label = nullptr};
  forEachSetting(settings, [&](const auto& setting) {
    if (key == setting.text.key) found = setting.text;
  });
  if (!found.key) throw "no setting has this key";
  return found;
}

inline void describeControl(QWidget* control, const SettingText& text) {
  control->setAccessibleName(QString::fromUtf8(text.label));
  control->setToolTip(QString::fromUtf8(text.tip));
}

/// Makes the control of a setting. Spin boxes keep within the setting's limits and show the special
/// value 0 in words.
template <typename Owner>
QDoubleSpinBox* settingControl(const NumberSetting<Owner, double>& setting, QWidget* parent) {
  auto* box = new QDoubleSpinBox(parent);
  box->setDecimals(1);
  box->setRange(setting.least, setting.most);
  box->setSuffix(QString::fromUtf8(setting.unit));
  box->setSingleStep(setting.most <= 100 ? 0.5 : 1);
  box->setKeyboardTracking(false);
  return box;
}

template <typename Owner>
QSpinBox* settingControl(const NumberSetting<Owner, int>& setting, QWidget* parent) {
  auto* box = new QSpinBox(parent);
  box->setRange(setting.least, setting.most);
  box->setSuffix(QString::fromUtf8(setting.unit));
  box->setSingleStep(setting.most >= 1000 ? 50 : 1);
  box->setKeyboardTracking(false);
  if (setting.least < setting.leastGiven) box->setSpecialValueText(QString::fromUtf8(setting.open));
  return box;
}

template <typename Owner>
QCheckBox* settingControl(const FlagSetting<Owner>& setting, QWidget* parent) {
  return new QCheckBox(QString::fromUtf8(setting.text.label), parent);
}

template <typename Owner, typename Enumeration>
QComboBox* settingControl(const ChoiceSetting<Owner, Enumeration>& setting, QWidget* parent) {
  auto* box = new QComboBox(parent);
  for (const auto& choice : setting.choices) box->addItem(QString::fromUtf8(choice.label));
  return box;
}

/// The only settings of this type are names of installed fonts, hence a font box.
template <typename Owner>
QFontComboBox* settingControl(const NameSetting<Owner>&, QWidget* parent) {
  auto* box = new QFontComboBox(parent);
  box->setEditable(false);
  return box;
}

template <typename Owner, typename Type>
void showSetting(const NumberSetting<Owner, Type>& setting, const Owner& owner, auto* control) {
  control->setValue(owner.*setting.member);
}

template <typename Owner>
void showSetting(const FlagSetting<Owner>& setting, const Owner& owner, QCheckBox* control) {
  control->setChecked(owner.*setting.member);
}

template <typename Owner, typename Enumeration>
void showSetting(const ChoiceSetting<Owner, Enumeration>& setting, const Owner& owner,
                 QComboBox* control) {
  for (std::size_t i = 0; i < setting.choices.size(); ++i) {
    if (setting.choices[i].value == owner.*setting.member) {
      control->setCurrentIndex(static_cast<int>(i));
    }
  }
}

template <typename Owner>
void showSetting(const NameSetting<Owner>& setting, const Owner& owner, QFontComboBox* control) {
  control->setCurrentFont(QFont(QString::fromStdString(owner.*setting.member)));
}

template <typename Owner, typename Type>
void takeSetting(const NumberSetting<Owner, Type>& setting, Owner& owner, const auto* control) {
  owner.*setting.member = control->value();
}

template <typename Owner>
void takeSetting(const FlagSetting<Owner>& setting, Owner& owner, const QCheckBox* control) {
  owner.*setting.member = control->isChecked();
}

template <typename Owner, typename Enumeration>
void takeSetting(const ChoiceSetting<Owner, Enumeration>& setting, Owner& owner,
                 const QComboBox* control) {
  owner.*setting.member = setting.choices[static_cast<std::size_t>(control->currentIndex())].value;
}

template <typename Owner>
void takeSetting(const NameSetting<Owner>& setting, Owner& owner, const QFontComboBox* control) {
  owner.*setting.member = control->currentFont().family().toStdString();
}

inline void tellChanges(QSpinBox* control, const std::function<void()>& changed) {
  QObject::connect(control, &QSpinBox::valueChanged, control, changed);
}
inline void tellChanges(QDoubleSpinBox* control, const std::function<void()>& changed) {
  QObject::connect(control, &QDoubleSpinBox::valueChanged, control, changed);
}
inline void tellChanges(QCheckBox* control, const std::function<void()>& changed) {
  QObject::connect(control, &QCheckBox::toggled, control, changed);
}
inline void tellChanges(QFontComboBox* control, const std::function<void()>& changed) {
  QObject::connect(control, &QFontComboBox::currentFontChanged, control, changed);
}
inline void tellChanges(QComboBox* control, const std::function<void()>& changed) {
  QObject::connect(control, &QComboBox::activated, control, changed);
}

/// One control for each described setting of `Owner`, in the order of the descriptions. The
/// controls belong to their parent widget.
template <typename Owner>
class SettingControls {
 public:
  /// Makes a control that calls `changed` when the user changes its value.
  template <typename Setting>
  QWidget* add(const Setting& setting, QWidget* parent, const std::function<void()>& changed) {
    auto* control = settingControl(setting, parent);
    describeControl(control, setting.text);
    tellChanges(control, changed);
    controls_.push_back({setting.text.key, control,
                         [=](const Owner& owner) { showSetting(setting, owner, control); },
                         [=](Owner& owner) { takeSetting(setting, owner, control); }});
    return control;
  }

  /// Adds a control as a row of a form; it may become narrower than its choices. A check box
  /// carries its own label.
  template <typename Setting>
  void addRow(const Setting& setting, QFormLayout& form, QWidget* parent,
              const std::function<void()>& changed) {
    QWidget* control = add(setting, parent, changed);
    const bool isChecked = qobject_cast<QCheckBox*>(control) != nullptr;
    if (auto* box = qobject_cast<QComboBox*>(control)) {
      box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
      box->setMinimumContentsLength(5);
    }
    if (isChecked) {
      // The row spans both columns, so that a panel can be as narrow as its longest words.
      form.addRow(control);
    } else {
      form.addRow(QString::fromUtf8(setting.text.label), control);
    }
  }

  /// Returns the control of the setting with that key.
  QWidget* at(const std::string& key) const {
    for (const Control& control : controls_) {
      if (control.key == key) return control.widget;
    }
    return nullptr;
  }

  /// Shows the settings without reporting a change.
  void show(const Owner& owner) const {
    for (const Control& control : controls_) {
      const QSignalBlocker quiet(control.widget);
      control.show(owner);
    }
  }

  /// Writes the values of the controls into `owner`.
  void take(Owner& owner) const {
    for (const Control& control : controls_) control.take(owner);
  }

 private:
  struct Control {
    std::string key;
    QWidget* widget = nullptr;
    std::function<void(const Owner&)> show;
    std::function<void(Owner&)> take;
  };
  std::vector<Control> controls_;
};

}  // namespace softscope
