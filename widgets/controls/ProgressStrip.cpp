#include "widgets/controls/ProgressStrip.h"

#include "widgets/controls/BusyBar.h"
#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/ToolTips.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QPushButton>

#include <cmath>

namespace softscope {
namespace {

constexpr int unnoticedMilliseconds = 150;

}  // namespace

ProgressStrip::ProgressStrip(QWidget* parent)
    : QWidget(parent),
      what_(new ElidedLabel(this)),
      bar_(new BusyBar(this)),
      cancel_(new QPushButton(tr("Cancel"), this)) {
  setAccessibleName(tr("Progress"));
  bar_->setAccessibleName(tr("Progress"));
  bar_->setTextVisible(false);
  bar_->setFixedSize(110, 8);
  cancel_->setAccessibleName(tr("Cancel"));
  // A status bar gives the strip all the width that its message leaves.
  cancel_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  setKeyTip(*cancel_, tr("Stop, and keep what is shown"), "cancel");
  what_->setFixedWidth(220);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(8);
  line->addWidget(what_);
  line->addWidget(bar_);
  line->addWidget(cancel_);
  patience_.setSingleShot(true);
  patience_.setInterval(unnoticedMilliseconds);
  connect(&patience_, &QTimer::timeout, this, &QWidget::show);
  connect(cancel_, &QPushButton::clicked, this, &ProgressStrip::cancelled);
  hide();
}

void ProgressStrip::setBusy(bool busy) {
  if (busy) {
    patience_.start();
  } else {
    patience_.stop();
    hide();
  }
}

void ProgressStrip::setProgress(const QString& what, double fraction) {
  what_->setText(what);
  // A step of unknown progress shows a busy bar instead of one stuck at zero.
  bar_->setRange(0, fraction > 0 ? 1000 : 0);
  bar_->setValue(static_cast<int>(std::lround(fraction * 1000)));
}

}  // namespace softscope
