#pragma once

#include "core/attention/LandmarkChoice.h"

#include <QtWidgets/QWidget>

class QSpinBox;

namespace softscope {

/// How many landmarks of choice there are in each layer, and the seed of random ones.
class LandmarkNumbers : public QWidget {
  Q_OBJECT

 public:
  explicit LandmarkNumbers(QWidget* parent = nullptr);

  /// Shows the numbers of a choice; the seed only where it takes part.
  void setChoice(const LandmarkChoice& choice);

 Q_SIGNALS:
  /// The choice shown, with the numbers that were entered; not while they are being typed.
  void chosen(const softscope::LandmarkChoice& choice);

 private:
  void choose();

  QSpinBox* count_;
  QSpinBox* seed_;
  LandmarkChoice shown_;
};

}  // namespace softscope
