#include "widgets/panels/LandmarkNumbers.h"

#include "core/analysis/registry/AnalysisSettings.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QSpinBox>

#include <limits>

namespace softscope {

LandmarkNumbers::LandmarkNumbers(QWidget* parent)
    : QWidget(parent), count_(new QSpinBox(this)), seed_(new QSpinBox(this)) {
  count_->setAccessibleName(tr("Number of landmarks"));
  count_->setToolTip(
      tr("Landmarks of each layer; means of queries need a number that is rows times columns of "
         "cells which every layer's patches divide into"));
  count_->setRange(0, mostLandmark);
  count_->setSpecialValueText(tr("as trained"));
  seed_->setAccessibleName(tr("Seed of random landmarks"));
  seed_->setToolTip(tr("Another seed draws other landmarks"));
  seed_->setPrefix(tr("seed "));
  seed_->setRange(0, std::numeric_limits<int>::max());
  for (QSpinBox* number : {count_, seed_}) {
    // The whole network runs again for each number.
    number->setKeyboardTracking(false);
    number->setMinimumWidth(50);
    number->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(number, &QSpinBox::valueChanged, this, &LandmarkNumbers::choose);
  }
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  row->addWidget(count_, 1);
  row->addWidget(seed_, 1);
}

void LandmarkNumbers::setChoice(const LandmarkChoice& choice) {
  const QSignalBlocker quietCount(count_);
  const QSignalBlocker quietSeed(seed_);
  shown_ = choice;
  count_->setValue(choice.count.value_or(0));
  seed_->setValue(choice.seed);
  seed_->setVisible(choice.source == LandmarkSource::Random);
}

void LandmarkNumbers::choose() {
  shown_.count = count_->value() > 0 ? std::optional<int>(count_->value()) : std::nullopt;
  shown_.seed = seed_->value();
  Q_EMIT chosen(shown_);
}

}  // namespace softscope
