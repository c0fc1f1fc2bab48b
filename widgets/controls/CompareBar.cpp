#include "widgets/controls/CompareBar.h"

#include "core/attention/Mechanism.h"
#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/DirectionSwitch.h"
#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/ToolTips.h"

#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

namespace softscope {

CompareBar::CompareBar(QWidget* parent)
    : QWidget(parent),
      add_(new QPushButton(tr("+ Model…"), this)),
      mechanism_(new QPushButton(tr("+ Mechanism"), this)),
      takeOut_(new QPushButton(tr("Back to whole models"), this)),
      map_(new MapChoice(this)),
      classes_(new ClassChoice(this)),
      direction_(new DirectionSwitch(this)) {
  add_->setAccessibleName(tr("Add a model to the comparison"));
  setKeyTip(*add_, tr("Open more checkpoints"), "openBeside");
  mechanism_->setAccessibleName(tr("Add the current model under another mechanism"));
  mechanism_->setMenu(new QMenu(mechanism_));
  auto* line = new FlowLayout(this);
  line->setContentsMargins(12, 8, 12, 6);
  line->addWidget(add_);
  line->addWidget(mechanism_);
  line->addWidget(takeOut_);
  line->addWidget(map_);
  line->addWidget(classes_);
  line->addWidget(direction_);
  forEachSetting(comparisonSettings, [&](const auto& setting) {
    line->addWidget(controls_.add(setting, this, [this] {
      Comparison comparison;
      controls_.take(comparison);
      Q_EMIT comparisonChosen(comparison);
    }));
  });
  setCollected(0);
  takeOut_->setAccessibleName(takeOut_->text());
  takeOut_->setToolTip(tr(
      "These heads were collected on Overview's wall; without them every model shows its layer"));
  connect(takeOut_, &QPushButton::clicked, this, &CompareBar::takeOutWanted);
  connect(add_, &QPushButton::clicked, this,
          [this] { Q_EMIT modelWanted(add_->mapToGlobal(QPoint(0, add_->height()))); });
}

void CompareBar::setMechanisms(const QStringList& mechanisms) {
  mechanism_->setEnabled(!mechanisms.isEmpty());
  mechanism_->setToolTip(mechanisms.isEmpty()
                             ? tr("The current model's weights allow no other mechanism")
                             : mechanism_->accessibleName());
  if (mechanisms == mechanisms_) return;
  mechanisms_ = mechanisms;
  mechanism_->menu()->clear();
  for (const QString& name : mechanisms) {
    const QString title = QString::fromStdString(titleOfMechanism(name.toStdString()));
    connect(mechanism_->menu()->addAction(onButton(title)), &QAction::triggered, this,
            [this, name] { Q_EMIT mechanismWanted(name); });
  }
}

void CompareBar::setComparison(const Comparison& comparison) {
  controls_.show(comparison);
}

void CompareBar::setCollected(int count) {
  takeOut_->setVisible(count > 0);
  for (const char* key : {"linkedLayers", "onlyMean"}) controls_.at(key)->setVisible(count == 0);
}

void CompareBar::setRows(int count) {
  for (const char* key : {"difference", "linkedLayers", "linkedScales"}) {
    enableFor(*controls_.at(key), count > 1 ? QString() : tr("There is only one model to compare"));
  }
}

}  // namespace softscope
