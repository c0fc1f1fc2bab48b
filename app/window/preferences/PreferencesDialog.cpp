#include "app/window/preferences/PreferencesDialog.h"

#include "app/window/preferences/ShortcutsEditor.h"
#include "widgets/controls/ScrolledContent.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QScreen>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <thread>

namespace softscope {
namespace {

constexpr int formMargin = 18;
constexpr int controlWidth = 230;

}  // namespace

PreferencesForm::PreferencesForm(const std::vector<ComputeDevice>& devices, QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), device_(new QComboBox) {
  grid_->setContentsMargins(formMargin, 12, formMargin, 12);
  grid_->setHorizontalSpacing(16);
  grid_->setVerticalSpacing(2);
  grid_->setColumnStretch(1, 1);
  addPreferences();
  addCompute(devices);
  grid_->setRowStretch(grid_->rowCount(), 1);
}

void PreferencesForm::addHeading(const QString& text) {
  auto* heading = new QLabel(text);
  QFont bold = font();
  bold.setBold(true);
  heading->setFont(bold);
  const int row = grid_->rowCount();
  if (row > 1) grid_->setRowMinimumHeight(row, 10);
  grid_->addWidget(heading, row + 1, 0, 1, 2);
}

void PreferencesForm::addRow(const SettingText& text, QWidget* control) {
  auto* label = new QLabel(QString::fromUtf8(text.label));
  label->setBuddy(control);
  auto* meaning = new QLabel(QString::fromUtf8(text.tip));
  meaning->setWordWrap(true);
  meaning->setForegroundRole(QPalette::PlaceholderText);
  control->setAccessibleDescription(meaning->text());
  control->setMinimumWidth(controlWidth);
  const int row = grid_->rowCount();
  grid_->addWidget(label, row, 0, Qt::AlignLeft | Qt::AlignVCenter);
  grid_->addWidget(control, row, 1, Qt::AlignLeft);
  grid_->addWidget(meaning, row + 1, 1);
  grid_->setRowMinimumHeight(row + 2, 6);
}

void PreferencesForm::addPreferences() {
  const auto add = [this](const auto& setting) {
    addRow(setting.text, controls_.add(setting, this, [this] { tellPreferences(); }));
  };
  addHeading(tr("Looks"));
  add(themeSetting);
  add(textSizeSetting);
  addHeading(tr("Sessions"));
  add(firstSetting);
  add(autosaveSetting);
  qobject_cast<QSpinBox*>(controls_.at(textSizeSetting.text.key))->setSingleStep(10);
}

void PreferencesForm::addCompute(const std::vector<ComputeDevice>& devices) {
  addHeading(tr("Computing"));
  describeControl(device_, deviceSetting.text);
  for (const ComputeDevice& device : devices) {
    device_->addItem(QString::fromStdString(deviceText(device)),
                     QString::fromStdString(device.name));
  }
  addRow(deviceSetting.text, device_);
  connect(device_, &QComboBox::activated, this, &PreferencesForm::tellCompute);
  const auto add = [this](const auto& setting) {
    auto* box =
        qobject_cast<QSpinBox*>(computeControls_.add(setting, this, [this] { tellCompute(); }));
    addRow(setting.text, box);
    return box;
  };
  QSpinBox* threads = add(threadsSetting);
  threads->setMaximum(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  threads->setSingleStep(1);
  addHeading(tr("Memory"));
  add(costMemorySetting)->setSingleStep(1024);
  add(thumbnailMemorySetting)->setSingleStep(4);
}

void PreferencesForm::setShown(const Preferences& preferences, const ComputeSettings& compute) {
  controls_.show(preferences);
  computeControls_.show(compute);
  const QSignalBlocker quiet(device_);
  const QString device = QString::fromStdString(compute.device);
  if (device_->findData(device) < 0) device_->addItem(device, device);
  device_->setCurrentIndex(device_->findData(device));
}

void PreferencesForm::tellPreferences() {
  Preferences chosen;
  controls_.take(chosen);
  Q_EMIT preferencesChosen(chosen);
}

void PreferencesForm::tellCompute() {
  ComputeSettings chosen;
  computeControls_.take(chosen);
  chosen.device = device_->currentData().toString().toStdString();
  Q_EMIT computeChosen(chosen);
}

PreferencesDialog::PreferencesDialog(ActionShortcuts& shortcuts,
                                     const std::vector<ComputeDevice>& devices, QWidget* parent)
    : QDialog(parent), form_(new PreferencesForm(devices)), parts_(new QTabWidget) {
  setObjectName(QStringLiteral("preferences"));
  setWindowTitle(tr("Preferences"));
  setAccessibleName(windowTitle());
  auto* scroll = new ScrolledPanel(tr("General preferences"), form_);
  parts_->setAccessibleName(tr("Parts of the preferences"));
  parts_->addTab(scroll, tr("General"));
  parts_->addTab(new ShortcutsEditor(shortcuts), tr("Keyboard shortcuts"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* defaults = buttons->addButton(tr("Defaults"), QDialogButtonBox::ResetRole);
  defaults->setAccessibleName(tr("Reset the general preferences to their defaults"));
  defaults->setToolTip(defaults->accessibleName());
  buttons->button(QDialogButtonBox::Close)->setAccessibleName(tr("Close the preferences"));
  for (QAbstractButton* button : buttons->buttons()) {
    // Enter in a field belongs to the field.
    static_cast<QPushButton*>(button)->setAutoDefault(false);
  }
  auto* column = new QVBoxLayout(this);
  column->addWidget(parts_, 1);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(defaults, &QPushButton::clicked, this, [this] {
    Q_EMIT preferencesChosen(Preferences());
    Q_EMIT computeChosen(ComputeSettings());
  });
  connect(parts_, &QTabWidget::currentChanged, defaults,
          [defaults](int part) { defaults->setVisible(part == 0); });
  connect(form_, &PreferencesForm::preferencesChosen, this, &PreferencesDialog::preferencesChosen);
  connect(form_, &PreferencesForm::computeChosen, this, &PreferencesDialog::computeChosen);
  resize(QSize(620, 640).boundedTo(screen()->availableSize() - QSize(40, 60)));
}

void PreferencesDialog::setShown(const Preferences& preferences, const ComputeSettings& compute) {
  form_->setShown(preferences, compute);
}

void PreferencesDialog::turnTo(Part part) {
  parts_->setCurrentIndex(static_cast<int>(part));
}

}  // namespace softscope
