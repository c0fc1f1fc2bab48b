#pragma once

#include "widgets/plot/QCustomPlotHeader.h"

namespace softscope {

/// Ticks at one, two and five of every decade: on a logarithmic axis they stand evenly, where the
/// multiples of a step crowd at its end. Many decades have their ones alone; a range with fewer
/// than three ticks has the multiples.
class OneTwoFiveTicker : public QCPAxisTicker {
 protected:
  int getSubTickCount(double tickStep) override;
  QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
};

}  // namespace softscope
