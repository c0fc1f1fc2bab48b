#include "widgets/plot/OneTwoFiveTicker.h"

#include <cmath>

namespace softscope {

int OneTwoFiveTicker::getSubTickCount(double) {
  return 0;
}

QVector<double> OneTwoFiveTicker::createTickVector(double tickStep, const QCPRange& range) {
  QVector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::floor(std::log10(range.upper)));
  for (int decade = first; decade <= last; ++decade) {
    for (const double multiple : {1.0, 2.0, 5.0}) {
      const double tick = multiple * std::pow(10.0, decade);
      if (range.contains(tick)) ticks.append(tick);
    }
  }
  constexpr int fewest = 3;
  return ticks.size() < fewest ? QCPAxisTicker::createTickVector(tickStep, range) : ticks;
}

}  // namespace softscope
