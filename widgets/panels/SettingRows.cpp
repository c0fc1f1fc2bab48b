#include "widgets/panels/SettingRows.h"

#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QLabel>

#include <algorithm>
#include <iterator>
#include <utility>

namespace softscope {
namespace {

/// Mechanism and heads have rows elsewhere, and the row of the mean covers the deviation, too.
bool belongsInRows(const NetworkSetting& setting) {
  const auto& option = setting.option;
  if (option == "attention" || option == "heads" || option == "std") return false;
  const bool isChosen = setting.source.starts_with("chosen");
  return setting.isChoosable() && (setting.isUndetermined() || isChosen);
}

bool isSame(const NetworkSetting& a, const NetworkSetting& b) {
  return a.option == b.option && a.value == b.value && a.choices == b.choices && a.why == b.why;
}

}  // namespace

QString settingTitle(const std::string& option) {
  if (option == "attention") return QStringLiteral("Mechanism");
  if (option == "std") return QStringLiteral("Deviation");
  if (option == "qkv") return QStringLiteral("Q, k, v");
  if (option == "qscale") return QStringLiteral("Query scale");
  if (option == "iters") return QStringLiteral("Iterations");
  QString title = QString::fromStdString(option).replace(u'-', u' ');
  title[0] = title[0].toUpper();
  return title;
}

SettingRows::SettingRows(QWidget* parent) : QWidget(parent), form_(new QFormLayout(this)) {
  form_->setContentsMargins(0, 0, 0, 0);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setVerticalSpacing(6);
  form_->setHorizontalSpacing(10);
}

void SettingRows::setSettings(const std::vector<NetworkSetting>& settings) {
  std::vector<NetworkSetting> wanted;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(wanted), belongsInRows);
  setVisible(!wanted.empty());
  if (std::equal(wanted.begin(), wanted.end(), shown_.begin(), shown_.end(), isSame)) {
    // A combo box shows what was requested; it is set back to the actual value.
    for (std::size_t i = 0; i < combos_.size(); ++i) {
      combos_[i]->setCurrentText(QString::fromStdString(shown_[i].value));
    }
    return;
  }
  while (form_->rowCount() > 0) form_->removeRow(0);
  combos_.clear();
  shown_ = std::move(wanted);
  for (const NetworkSetting& setting : shown_) addRow(setting);
}

void SettingRows::addRow(const NetworkSetting& setting) {
  auto* combo = new QComboBox(this);
  const QString title = settingTitle(setting.option);
  combo->setAccessibleName(title);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setMinimumContentsLength(5);
  std::vector<std::string> choices = setting.choices;
  // The order does not depend on the chosen value.
  std::sort(choices.begin(), choices.end());
  for (const std::string& choice : choices) combo->addItem(QString::fromStdString(choice));
  combo->setCurrentText(QString::fromStdString(setting.value));
  combo->setToolTip(setting.isUndetermined()
                        ? tr("Assumed: %1").arg(QString::fromStdString(setting.why))
                        : tr("As it was chosen"));
  connect(combo, &QComboBox::activated, this, [this, combo, option = setting.option] {
    Q_EMIT chosen(option, combo->currentText().toStdString());
  });
  combos_.push_back(combo);
  auto* label = new QLabel(title, this);
  label->setMinimumWidth(labelWidth_);
  label->setBuddy(combo);
  form_->addRow(label, combo);
}

}  // namespace softscope
