#include "app/window/live/StepBar.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSlider>

namespace softscope {

StepBar::StepBar(QWidget* parent)
    : QToolBar(tr("Steps"), parent),
      title_(new QLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      step_(new QLabel(this)) {
  setObjectName(QStringLiteral("steps"));
  setMovable(false);
  // Whether there are steps decides whether it is shown.
  toggleViewAction()->setVisible(false);
  for (QLabel* label : {title_, step_}) label->setTextFormat(Qt::PlainText);
  title_->setContentsMargins(6, 0, 8, 0);
  step_->setContentsMargins(8, 0, 6, 0);
  slider_->setPageStep(1);
  slider_->setTickPosition(QSlider::TicksBelow);
  slider_->setAccessibleName(tr("Step of the series"));
  slider_->setToolTip(tr("The step of the training run that the model's pages show"));
  addWidget(title_);
  addWidget(slider_);
  addWidget(step_);
  connect(slider_, &QSlider::valueChanged, this, &StepBar::stepWanted);
  hide();
}

void StepBar::setSteps(const QString& name, const std::vector<std::int64_t>& steps,
                       std::size_t shown) {
  const QSignalBlocker blocked(slider_);
  title_->setText(name);
  slider_->setRange(0, static_cast<int>(steps.size()) - 1);
  slider_->setTickInterval(static_cast<int>(steps.size() / 50 + 1));
  // While the user drags, the handle is theirs.
  if (!slider_->isSliderDown()) slider_->setValue(static_cast<int>(shown));
  step_->setText(tr("step %1 of %2").arg(steps[shown]).arg(steps.back()));
}

}  // namespace softscope
