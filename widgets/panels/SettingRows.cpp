#include "widgets/panels/SettingRows.h"

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QFormLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSpinBox>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace softscope {

LandmarkNumbers::LandmarkNumbers(QWidget* parent)
    : QWidget(parent), count_(new QSpinBox(this)), seed_(new QSpinBox(this)) {
  count_->setAccessibleName(tr("Number of landmarks"));
  count_->setToolTip(
      tr("Landmarks of each layer; means of queries need a number that is rows times columns of "
         "cells which every layer's patches divide into"));
  count_->setRange(0, mostLandmark);
  count_->setSpecialValueText(tr("as trained"));
  seed_->setAccessibleName(tr("Seed of random landmarks"));
  seed_->setToolTip(tr("Another seed draws other landmarks"));
  seed_->setPrefix(tr("seed "));
  seed_->setRange(0, std::numeric_limits<int>::max());
  for (QSpinBox* number : {count_, seed_}) {
    // The whole network runs again for each number.
    number->setKeyboardTracking(false);
    number->setMinimumWidth(50);
    number->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(number, &QSpinBox::valueChanged, this, &LandmarkNumbers::choose);
  }
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  row->addWidget(count_, 1);
  row->addWidget(seed_, 1);
}

void LandmarkNumbers::setChoice(const LandmarkChoice& choice) {
  const QSignalBlocker quietCount(count_);
  const QSignalBlocker quietSeed(seed_);
  shown_ = choice;
  count_->setValue(choice.count.value_or(0));
  seed_->setValue(choice.seed);
  seed_->setVisible(choice.source == LandmarkSource::Random);
}

void LandmarkNumbers::choose() {
  shown_.count = count_->value() > 0 ? std::optional<int>(count_->value()) : std::nullopt;
  shown_.seed = seed_->value();
  Q_EMIT chosen(shown_);
}

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
  static constexpr std::pair<std::string_view, const char*> titles[] = {
      {"attention", "Mechanism"},
      {"std", "Deviation"},
      {"qkv", "Q, k, v"},
      {"qscale", "Query scale"},
      {"iters", "Iterations"},
      // Settings without an option are called by the keys of their authors' code.
      {"always_partition", "Windows of small maps"},
      {"pool_include_prefix", "Pooled tokens"},
      {"pretrained_window_sizes", "Windows of pretraining"},
      {"qk_scale", "Query-key scale"},
      {"tokens_norm", "Norm of class attention"}};
  const auto* known = std::ranges::find(titles, std::string_view(option),
                                        &std::pair<std::string_view, const char*>::first);
  if (known != std::end(titles)) return QString::fromUtf8(known->second);
  QString title = QString::fromStdString(option).replace(u'-', u' ').replace(u'_', u' ');
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
