#include "app/window/contents/StatusLine.h"

#include "widgets/controls/ElidedLabel.h"
#include "widgets/controls/NameText.h"
#include "widgets/controls/ProgressStrip.h"
#include "widgets/workspace/Worker.h"

#include <QtCore/QDir>
#include <QtCore/QFileInfo>
#include <QtGui/QAction>
#include <QtWidgets/QToolButton>

namespace softscope {

StatusLine::StatusLine(Worker& worker, QWidget* parent)
    : QStatusBar(parent),
      readout_(new ElidedLabel),
      progress_(new ProgressStrip),
      openFile_(addOffer(tr("Open"))),
      openFolder_(addOffer(tr("Show in folder"))),
      act_(addOffer(tr("Go back"))) {
  readout_->setAccessibleDescription(tr("Value under the pointer"));
  readout_->setContentsMargins(10, 0, 10, 0);
  setSizeGripEnabled(false);
  addWidget(readout_, 1);
  addPermanentWidget(openFile_);
  addPermanentWidget(openFolder_);
  addPermanentWidget(act_);
  addPermanentWidget(progress_);
  connect(openFile_, &QToolButton::clicked, this,
          [this] { Q_EMIT openWanted(QUrl::fromLocalFile(file_)); });
  connect(openFolder_, &QToolButton::clicked, this,
          [this] { Q_EMIT openWanted(QUrl::fromLocalFile(QFileInfo(file_).absolutePath())); });
  connect(&worker, &Worker::busyChanged, progress_, &ProgressStrip::setBusy);
  connect(&worker, &Worker::progressed, progress_, &ProgressStrip::setProgress);
  connect(progress_, &ProgressStrip::cancelled, this, &StatusLine::cancelled);
}

void StatusLine::readOut(const QString& text) {
  readout_->setText(text);
  // The text for the pointer's present place is more useful than a message of some seconds ago.
  if (!text.isEmpty()) clearMessage();
}

QToolButton* StatusLine::addOffer(const QString& text) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setAccessibleName(text);
  button->setFocusPolicy(Qt::TabFocus);
  button->hide();
  return button;
}

void StatusLine::offerFile(const QString& path) {
  file_ = path;
  const QString name = QFileInfo(path).fileName();
  // The message that names the file is gone after some seconds.
  openFile_->setText(tr("Open %1").arg(onButton(shortened(name))));
  openFile_->setAccessibleName(tr("Open %1").arg(name));
  openFolder_->setAccessibleName(tr("Show %1 in its folder").arg(name));
  for (QToolButton* button : {openFile_, openFolder_}) {
    button->setToolTip(QDir::toNativeSeparators(path));
    button->show();
  }
}

void StatusLine::offerAction(QAction& action) {
  act_->setDefaultAction(&action);
  act_->setAccessibleName(action.iconText());
  act_->show();
}

void StatusLine::say(const QString& message) {
  for (QToolButton* button : {openFile_, openFolder_, act_}) button->hide();
  constexpr int readingTime = 6000;
  showMessage(message, readingTime);
}

}  // namespace softscope
