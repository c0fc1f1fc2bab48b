#pragma once

#include "widgets/plot/QCustomPlotHeader.h"

namespace softscope {

/// Places ticks at one, two and five times every power of ten. On a logarithmic axis these are
/// evenly spaced, while multiples of a fixed step crowd at its end. Over many decades only the
/// powers of ten remain; a range with fewer than three such ticks gets multiples of a step.
class OneTwoFiveTicker : public QCPAxisTicker {
 public:
  // More multiples of a step, which crowd at an axis' end, would run into each other.
  OneTwoFiveTicker() { setTickCount(4); }

 protected:
  int getSubTickCount(double tickStep) override;
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
};

}  // namespace softscope
