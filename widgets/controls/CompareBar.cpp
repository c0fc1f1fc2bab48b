#include "widgets/controls/CompareBar.h"

#include "widgets/controls/CheckBox.h"
#include "widgets/controls/FlowLayout.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

namespace softscope {
namespace {}  // namespace

CompareBar::CompareBar(QWidget* parent)
    : QWidget(parent),
      add_(new QPushButton(tr("+ Model…"), this)),
      mechanism_(new QPushButton(tr("+ Mechanism"), this)),
      linkedLayers_(
          checkBox(this, tr("Link layers"),
                   tr("A layer chosen for one model is chosen at the same depth for all"))),
      linkedScales_(checkBox(this, tr("Link colours"), tr("One range of values for all models"))),
      onlyMean_(checkBox(this, tr("Means"), tr("The mean over heads instead of every head"))),
      difference_(new QComboBox(this)) {
  add_->setAccessibleName(tr("Add a model to the comparison"));
  add_->setToolTip(tr("Open one more checkpoint  Ctrl+Shift+M"));
  mechanism_->setAccessibleName(tr("Add the current model under another mechanism"));
  mechanism_->setToolTip(mechanism_->accessibleName());
  mechanism_->setMenu(new QMenu(mechanism_));
  difference_->setAccessibleName(tr("Difference"));
  difference_->setToolTip(
      tr("The first model's values minus each other's; scaled: each map is "
         "divided by its largest magnitude before"));
  difference_->addItems({tr("No difference"), tr("A − B"), tr("A − B, scaled")});
  auto* line = new FlowLayout(this);
  line->setContentsMargins(12, 8, 12, 6);
  for (QWidget* widget : std::initializer_list<QWidget*>{add_, mechanism_, linkedLayers_,
                                                         linkedScales_, onlyMean_, difference_}) {
    line->addWidget(widget);
  }
  connect(add_, &QPushButton::clicked, this, &CompareBar::modelWanted);
  connect(linkedLayers_, &QCheckBox::toggled, this, &CompareBar::choose);
  connect(linkedScales_, &QCheckBox::toggled, this, &CompareBar::choose);
  connect(onlyMean_, &QCheckBox::toggled, this, &CompareBar::choose);
  connect(difference_, &QComboBox::activated, this, &CompareBar::choose);
}

void CompareBar::setMechanisms(const QStringList& mechanisms) {
  mechanism_->setVisible(!mechanisms.isEmpty());
  if (mechanisms == mechanisms_) return;
  mechanisms_ = mechanisms;
  mechanism_->menu()->clear();
  for (const QString& name : mechanisms) {
    connect(mechanism_->menu()->addAction(name), &QAction::triggered, this,
            [this, name] { Q_EMIT mechanismWanted(name); });
  }
}

void CompareBar::setComparison(const Comparison& comparison) {
  const QSignalBlocker quietLayers(linkedLayers_);
  const QSignalBlocker quietScales(linkedScales_);
  const QSignalBlocker quietMean(onlyMean_);
  linkedLayers_->setChecked(comparison.linkedLayers);
  linkedScales_->setChecked(comparison.linkedScales);
  onlyMean_->setChecked(comparison.onlyMean);
  difference_->setCurrentIndex(static_cast<int>(comparison.difference));
}

void CompareBar::setModels(int count) {
  difference_->setEnabled(count > 1);
  linkedLayers_->setEnabled(count > 1);
  linkedScales_->setEnabled(count > 1);
}

void CompareBar::choose() {
  Comparison comparison;
  comparison.linkedLayers = linkedLayers_->isChecked();
  comparison.linkedScales = linkedScales_->isChecked();
  comparison.onlyMean = onlyMean_->isChecked();
  comparison.difference = static_cast<Comparison::Difference>(difference_->currentIndex());
  Q_EMIT comparisonChosen(comparison);
}

}  // namespace softscope
