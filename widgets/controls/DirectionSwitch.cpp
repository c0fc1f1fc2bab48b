#include "widgets/controls/DirectionSwitch.h"

#include "widgets/controls/ToolTips.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>

namespace softscope {

DirectionSwitch::DirectionSwitch(QWidget* parent)
    : QWidget(parent), halves_(new QButtonGroup(this)) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  addHalf(Direction::Rows, tr("Attends to"), tr("Rows: what the patch attends to"));
  addHalf(Direction::Columns, tr("Attended by"), tr("Columns: who attends to the patch"));
  connect(halves_, &QButtonGroup::idClicked, this,
          [this](int id) { Q_EMIT chosen(static_cast<Direction>(id)); });
}

void DirectionSwitch::addHalf(Direction direction, const QString& text, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setText(text);
  setKeyTip(*button, tip, "swapDirection");
  button->setAccessibleName(tip);
  button->setCheckable(true);
  // The theme draws both buttons as one switch with two halves.
  button->setProperty("half", direction == Direction::Rows ? "left" : "right");
  button->setFocusPolicy(Qt::TabFocus);
  halves_->addButton(button, static_cast<int>(direction));
  layout()->addWidget(button);
}

void DirectionSwitch::setDirection(Direction direction) {
  halves_->button(static_cast<int>(direction))->setChecked(true);
}

}  // namespace softscope
