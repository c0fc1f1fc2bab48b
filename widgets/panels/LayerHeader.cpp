#include "widgets/panels/LayerHeader.h"

#include "widgets/controls/ClassChoice.h"
#include "widgets/controls/DirectionSwitch.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/MapChoice.h"
#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"

#include <QtCore/QEvent>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace softscope {
namespace {

constexpr int headerSpace = 60;
constexpr int headerMargin = 12;
constexpr int choiceGap = 8;

}  // namespace

LayerHeader::LayerHeader(QWidget* parent)
    : QWidget(parent),
      layer_(new ElidedLabel(this)),
      about_(new ElidedLabel(this)),
      question_(new ElidedLabel(this)),
      previous_(stepButton(-1, tr("Previous layer"), "previousLayer")),
      next_(stepButton(1, tr("Next layer"), "nextLayer")),
      allHeads_(new QToolButton(this)),
      map_(new MapChoice(this)),
      classes_(new ClassChoice(this)),
      switch_(new QWidget(this)),
      halves_(new DirectionSwitch(this)),
      choices_(new QBoxLayout(QBoxLayout::LeftToRight, switch_)),
      grid_(new QGridLayout(this)) {
  layer_->setScale(1.15, QFont::DemiBold);
  layer_->setElideMode(Qt::ElideMiddle);
  about_->setMuted(true);
  about_->setScale(0.92);
  question_->setScale(0.92);

  choices_->setContentsMargins(0, 0, 0, 0);
  choices_->setSpacing(choiceGap);
  choices_->addWidget(map_, 0, Qt::AlignLeft);
  choices_->addWidget(halves_, 0, Qt::AlignLeft);

  auto* steps = new QHBoxLayout;
  steps->setSpacing(0);
  steps->addWidget(previous_);
  steps->addWidget(next_);

  grid_->setContentsMargins(headerMargin, 8, headerMargin, 4);
  grid_->setHorizontalSpacing(8);
  grid_->setVerticalSpacing(2);
  auto* title = new QHBoxLayout;
  title->setSpacing(choiceGap);
  title->addLayout(steps);
  title->addWidget(layer_, 1);
  title->addWidget(allHeads_);
  grid_->addLayout(title, 0, 0, 1, 3);
  grid_->addWidget(about_, 1, 0, 1, 3);
  grid_->addWidget(question_, 2, 0, 1, 2);
  grid_->addWidget(switch_, 2, 2);
  grid_->addWidget(classes_, 4, 0, 1, 3, Qt::AlignLeft);
  grid_->setColumnStretch(1, 1);

  allHeads_->setText(tr("All heads"));
  allHeads_->setAccessibleName(tr("All heads"));
  setKeyTip(*allHeads_, tr("Show every head again"), "allHeads");
  allHeads_->setFocusPolicy(Qt::TabFocus);
  allHeads_->hide();
  connect(allHeads_, &QToolButton::clicked, this, &LayerHeader::allHeadsWanted);
  connect(halves_, &DirectionSwitch::chosen, this, &LayerHeader::directionChosen);
  drawIcons();
}

QToolButton* LayerHeader::stepButton(int steps, const QString& name, const char* action) {
  auto* button = new QToolButton(this);
  button->setAutoRaise(true);
  button->setAccessibleName(name);
  setKeyTip(*button, name, action);
  button->setFocusPolicy(Qt::TabFocus);
  connect(button, &QToolButton::clicked, this, [this, steps] { Q_EMIT layerStepped(steps); });
  return button;
}

void LayerHeader::setTexts(const QString& layer, const QString& about, const QString& question) {
  layer_->setText(layer);
  about_->setText(about);
  question_->setText(question);
  arrangeSwitch();
}

void LayerHeader::setDirection(Direction direction) {
  halves_->setDirection(direction);
}

void LayerHeader::setSteps(bool toPrevious, bool toNext) {
  previous_->setEnabled(toPrevious);
  next_->setEnabled(toNext);
}

void LayerHeader::setOneHead(bool one) {
  allHeads_->setVisible(one);
}

void LayerHeader::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrangeSwitch();
}

void LayerHeader::arrangeSwitch() {
  const int room = contentsRect().width() - 2 * headerMargin;
  // The header may become as narrow as the wider of the two, because they can also stand one above
  // the other.
  switch_->setMinimumWidth(std::max(map_->sizeHint().width(), halves_->sizeHint().width()));
  const int map = map_->isHidden() ? 0 : map_->sizeHint().width() + choiceGap;
  choices_->setDirection(map + halves_->sizeHint().width() > room ? QBoxLayout::TopToBottom
                                                                  : QBoxLayout::LeftToRight);
  const int needed = question_->sizeHint().width() + switch_->sizeHint().width() + headerSpace;
  const bool below = width() < needed;
  if (below == switchBelow_) return;
  switchBelow_ = below;
  grid_->removeWidget(question_);
  grid_->removeWidget(switch_);
  grid_->addWidget(question_, 2, 0, 1, below ? 3 : 2);
  if (below) {
    grid_->addWidget(switch_, 3, 0, 1, 3, Qt::AlignLeft);
  } else {
    grid_->addWidget(switch_, 2, 2);
  }
}

void LayerHeader::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) drawIcons();
  QWidget::changeEvent(event);
}

void LayerHeader::drawIcons() {
  previous_->setIcon(themedIcon(QStringLiteral("previous"), palette()));
  next_->setIcon(themedIcon(QStringLiteral("next"), palette()));
}

}  // namespace softscope
