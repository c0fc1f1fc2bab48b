#include "widgets/plot/OneTwoFiveTicker.h"

#include <cmath>
#include <vector>

namespace softscope {

int OneTwoFiveTicker::getSubTickCount(double) {
  return 0;
}

QVector<double> OneTwoFiveTicker::createTickVector(double tickStep, const QCPRange& range) {
  const int first = static_cast<int>(std::floor(std::log10(range.lower)));
  const int last = static_cast<int>(std::floor(std::log10(range.upper)));
  // An axis may be zoomed out to more decades than leave room for three ticks each.
  constexpr int mostDecades = 3;
  const bool many = last - first > mostDecades;
  const std::vector<double> multiples = many ? std::vector{1.0} : std::vector{1.0, 2.0, 5.0};
  QVector<double> ticks;
  for (int decade = first; decade <= last; ++decade) {
    for (const double multiple : multiples) {
      const double tick = multiple * std::pow(10.0, decade);
      if (range.contains(tick)) ticks.append(tick);
    }
  }
  constexpr int fewest = 3;
  return ticks.size() < fewest ? QCPAxisTicker::createTickVector(tickStep, range) : ticks;
}

}  // namespace softscope
