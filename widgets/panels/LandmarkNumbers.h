#pragma once

#include "core/attention/LandmarkChoice.h"

#include <QtWidgets/QWidget>

class QSpinBox;

namespace softscope {

/// Fields for how many chosen landmarks each layer gets, and for the seed of random ones.
class LandmarkNumbers : public QWidget {
  Q_OBJECT

 public:
  explicit LandmarkNumbers(QWidget* parent = nullptr);

  /// Shows the numbers of a choice; the seed only if the choice uses one.
  void setChoice(const LandmarkChoice& choice);

 Q_SIGNALS:
  /// The shown choice with the numbers that the user entered; not sent while the user is typing.
  void chosen(const softscope::LandmarkChoice& choice);

 private:
  void choose();

  QSpinBox* count_;
  QSpinBox* seed_;
  LandmarkChoice shown_;
};

}  // namespace softscope
