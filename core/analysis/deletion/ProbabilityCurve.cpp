#include "core/analysis/deletion/ProbabilityCurve.h"

#include "core/Quantile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr double lowestShown = 0.05;
constexpr double highestShown = 0.95;

struct NumberBand {
  double mean = 0;
  double deviation = 0;
  double low = 0;
  double high = 0;
};

NumberBand numberBandOf(std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  std::sort(values.begin(), values.end());
  return {mean, values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0,
          quantileOfSorted(values, lowestShown), quantileOfSorted(values, highestShown)};
}

/// Follows one order after the other, and reports its progress.
class OrderWalk {
 public:
  OrderWalk(const std::vector<int>& counts, std::size_t orders, const KeptProbability& probability,
            const Progress& progress)
      : counts_(counts), orders_(orders), probability_(probability), progress_(progress) {
    const auto patches = static_cast<std::size_t>(counts.back());
    whole_ = probability(std::vector<bool>(patches, true));
    empty_ = probability(std::vector<bool>(patches, false));
  }

  DeletionCurves follow(const std::vector<int>& order) {
    return {curve(order, false, whole_, empty_), curve(order, true, empty_, whole_)};
  }

 private:
  /// If `then` is true, a patch is kept once its turn has come and not before; if false, the other
  /// way round.
  ProbabilityCurve curve(const std::vector<int>& order, bool then, double first, double last) {
    ProbabilityCurve curve;
    std::vector<bool> kept(order.size(), !then);
    std::size_t next = 0;
    for (const int count : counts_) {
      for (; next < static_cast<std::size_t>(count); ++next) {
        kept[static_cast<std::size_t>(order[next])] = then;
      }
      curve.fractions.push_back(static_cast<double>(count) / static_cast<double>(order.size()));
      curve.probabilities.push_back(count == 0                ? first
                                    : count == counts_.back() ? last
                                                              : looked(kept));
    }
    return curve;
  }

  double looked(const std::vector<bool>& kept) {
    const std::size_t passes = 2 * orders_ * (counts_.size() - 2);
    progress_.report(static_cast<double>(done_) / static_cast<double>(passes),
                     "Picture " + std::to_string(done_ + 1) + " of " + std::to_string(passes));
    ++done_;
    return probability_(kept);
  }

  const std::vector<int>& counts_;
  std::size_t orders_;
  const KeptProbability& probability_;
  const Progress& progress_;
  double whole_ = 0;
  double empty_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

double ProbabilityCurve::area() const {
  double area = 0;
  for (std::size_t i = 1; i < fractions.size(); ++i) {
    area += (fractions[i] - fractions[i - 1]) * (probabilities[i] + probabilities[i - 1]) / 2;
  }
  return area;
}

std::vector<int> removedPatches(int patches, int steps) {
  const int parts = std::min(patches, steps);
  std::vector<int> counts;
  for (int i = 0; i <= parts; ++i) {
    counts.push_back(
        static_cast<int>(std::lround(static_cast<double>(i) * patches / std::max(1, parts))));
  }
  return counts;
}

std::vector<DeletionCurves> followOrders(const std::vector<std::vector<int>>& orders, int steps,
                                         const KeptProbability& probability,
                                         const Progress& progress, const FollowedOrders& followed) {
  if (orders.empty()) return {};
  const std::vector<int> counts = removedPatches(static_cast<int>(orders.front().size()), steps);
  OrderWalk walk(counts, orders.size(), probability, progress);
  std::vector<DeletionCurves> curves;
  for (const std::vector<int>& order : orders) {
    curves.push_back(walk.follow(order));
    if (followed) followed(curves);
  }
  return curves;
}

CurveBand bandOf(const std::vector<ProbabilityCurve>& curves) {
  CurveBand band;
  band.fractions = curves.front().fractions;
  for (std::size_t i = 0; i < band.fractions.size(); ++i) {
    std::vector<double> values;
    for (const ProbabilityCurve& curve : curves) values.push_back(curve.probabilities[i]);
    const NumberBand numbers = numberBandOf(std::move(values));
    band.mean.push_back(numbers.mean);
    band.deviation.push_back(numbers.deviation);
    band.low.push_back(numbers.low);
    band.high.push_back(numbers.high);
  }
  std::vector<double> areas;
  for (const ProbabilityCurve& curve : curves) areas.push_back(curve.area());
  const NumberBand numbers = numberBandOf(std::move(areas));
  band.area = numbers.mean;
  band.areaDeviation = numbers.deviation;
  band.areaLow = numbers.low;
  band.areaHigh = numbers.high;
  return band;
}

std::optional<double> ChanceRank::share() const {
  if (orders == 0) return std::nullopt;
  return (better + equal / 2.0) / orders;
}

ChanceRank rankAmong(const std::vector<double>& randomAreas, double area, BetterArea better) {
  ChanceRank rank;
  if (!std::isfinite(area)) return rank;
  for (const double random : randomAreas) {
    if (!std::isfinite(random)) continue;
    ++rank.orders;
    if (random == area) {
      ++rank.equal;
    } else if ((random > area) == (better == BetterArea::Small)) {
      ++rank.better;
    }
  }
  return rank;
}

}  // namespace softscope
