#include "app/window/preferences/PreferencesDialog.h"

#include "app/window/preferences/PreferencesForm.h"
#include "app/window/preferences/ShortcutsEditor.h"

#include <QtGui/QScreen>
#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QTabWidget>
#include <QtWidgets/QVBoxLayout>

namespace softscope {

PreferencesDialog::PreferencesDialog(ActionShortcuts& shortcuts,
                                     const std::vector<ComputeDevice>& devices, QWidget* parent)
    : QDialog(parent), form_(new PreferencesForm(devices)), parts_(new QTabWidget) {
  setObjectName(QStringLiteral("preferences"));
  setWindowTitle(tr("Preferences"));
  setAccessibleName(windowTitle());
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setAccessibleName(tr("General preferences"));
  scroll->setWidget(form_);
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
