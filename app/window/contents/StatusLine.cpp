#include "app/window/contents/StatusLine.h"

#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/ProgressStrip.h"
#include "widgets/workspace/Worker.h"

namespace softscope {

StatusLine::StatusLine(Worker& worker, QWidget* parent)
    : QStatusBar(parent), readout_(new ElidedLabel), progress_(new ProgressStrip) {
  readout_->setAccessibleDescription(tr("Value under the pointer"));
  readout_->setContentsMargins(10, 0, 10, 0);
  setSizeGripEnabled(false);
  addWidget(readout_, 1);
  addPermanentWidget(progress_);
  connect(&worker, &Worker::busyChanged, progress_, &ProgressStrip::setBusy);
  connect(&worker, &Worker::progressed, progress_, &ProgressStrip::setProgress);
  connect(progress_, &ProgressStrip::cancelled, this, &StatusLine::cancelled);
}

void StatusLine::readOut(const QString& text) {
  readout_->setText(text);
  // The text for the pointer's present place is more useful than a message of some seconds ago.
  if (!text.isEmpty()) clearMessage();
}

void StatusLine::say(const QString& message) {
  constexpr int readingTime = 6000;
  showMessage(message, readingTime);
}

}  // namespace softscope
