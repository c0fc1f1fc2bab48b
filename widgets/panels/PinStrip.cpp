#include "widgets/panels/PinStrip.h"

#include "widgets/controls/FlowLayout.h"
#include "widgets/controls/Theme.h"
#include "widgets/controls/ToolTips.h"

#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace softscope {
namespace {

constexpr int letterSize = 20;
constexpr int pinGap = 2;

}  // namespace

PinStrip::PinStrip(QWidget* parent)
    : QWidget(parent), line_(new FlowLayout(this, pinGap)), clear_(new QToolButton(this)) {
  setAccessibleName(tr("Pinned queries"));
  clear_->setAutoRaise(true);
  clear_->setText(tr("Clear pins"));
  clear_->setAccessibleName(clear_->text());
  setKeyTip(*clear_, tr("Let go of every pinned query"), "clearPins");
  clear_->setFocusPolicy(Qt::TabFocus);
  line_->setContentsMargins(8, 0, 8, 6);
  connect(clear_, &QToolButton::clicked, this, &PinStrip::cleared);
  hide();
}

QToolButton* PinStrip::pinButton(int index) {
  auto* button = new QToolButton(this);
  button->setAutoRaise(true);
  button->setIconSize({letterSize, letterSize});
  button->setFocusPolicy(Qt::TabFocus);
  button->installEventFilter(this);
  button->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(button, &QToolButton::customContextMenuRequested, this,
          [this, index, button](const QPoint& place) {
            QMenu menu;
            menu.addAction(tr("Let go of this query"));
            if (menu.exec(button->mapToGlobal(place))) Q_EMIT removed(index);
          });
  connect(button, &QToolButton::clicked, this, [this, index] { Q_EMIT chosen(index); });
  return button;
}

void PinStrip::setPins(const std::vector<MarkedQuery>& pins) {
  if (pins == pins_) return;
  pins_ = pins;
  while (buttons_.size() > pins.size()) {
    // A button may be the sender of the signal being handled, so it is deleted later.
    buttons_.back()->hide();
    buttons_.back()->deleteLater();
    buttons_.pop_back();
  }
  line_->removeWidget(clear_);
  while (buttons_.size() < pins.size()) {
    buttons_.push_back(pinButton(count()));
    line_->addWidget(buttons_.back());
  }
  line_->addWidget(clear_);
  drawLetters();
  setVisible(!pins.empty());
}

void PinStrip::drawLetters() {
  for (std::size_t i = 0; i < buttons_.size(); ++i) {
    QPixmap letter(QSize(letterSize, letterSize) * devicePixelRatioF());
    letter.setDevicePixelRatio(devicePixelRatioF());
    letter.fill(Qt::transparent);
    QPainter painter(&letter);
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = letterSize / 2.0;
    paintQueryLetter(painter, {middle, middle}, letterSize - 2, pins_[i].color, pins_[i].letter,
                     screenStyle(*this));
    painter.end();
    buttons_[i]->setIcon(QIcon(letter));
    buttons_[i]->setAccessibleName(tr("Pinned query %1").arg(pins_[i].letter));
    buttons_[i]->setToolTip(tr("Go to query %1; middle-click to unpin").arg(pins_[i].letter));
  }
}

bool PinStrip::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonRelease &&
      static_cast<QMouseEvent*>(event)->button() == Qt::MiddleButton) {
    const auto found = std::find(buttons_.begin(), buttons_.end(), watched);
    if (found != buttons_.end()) Q_EMIT removed(static_cast<int>(found - buttons_.begin()));
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void PinStrip::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) drawLetters();
  QWidget::changeEvent(event);
}

}  // namespace softscope
