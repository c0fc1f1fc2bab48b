#include "core/analysis/CostMeasurements.h"

#include "core/Error.h"
#include "core/array/ComparedSentence.h"
#include "core/linalg/PowerLaw.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

namespace softscope {
namespace {

std::optional<double> costExponent(const CostMeasurements& measured, const std::string& mechanism,
                                   CostQuantity of) {
  const bool tokens = measured.sweep.over == CostOver::Tokens;
  const CostLine line = costLine(measured, mechanism, of, tokens ? fittedFromTokens : 0);
  const auto law = fitPowerLaw(line.x, line.y);
  if (!law) return std::nullopt;
  return law->exponent;
}

/// Limits for the lost cores, the spread of the quartiles and the drop in time that are normal on
/// an idle machine.
constexpr double fewCoresLost = 0.25;
constexpr double wideSpread = 0.5;
constexpr double fallenShare = 0.5;

std::string ofPoints(std::size_t count, const CostMeasurements& measured) {
  return std::to_string(count) + " of " +
         countedText(static_cast<std::int64_t>(measured.points.size()), "point");
}

std::string busyDoubt(const CostMeasurements& measured) {
  std::size_t count = 0;
  double most = 0;
  for (const CostPoint& point : measured.points) {
    if (point.coresLost.value_or(0) < fewCoresLost) continue;
    ++count;
    most = std::max(most, *point.coresLost);
  }
  if (count == 0) return {};
  return "other programs kept the machine busy while " + ofPoints(count, measured) +
         (measured.points.size() == 1 ? " was measured, " : " were measured, ") + "taking up to " +
         roundedText(most) + " of the cores that were to be used";
}

std::string spreadDoubt(const CostMeasurements& measured) {
  std::size_t count = 0;
  for (const CostPoint& point : measured.points) {
    if (point.quartile3 - point.quartile1 > wideSpread * point.median) ++count;
  }
  if (count == 0) return {};
  return "the quartiles of " + ofPoints(count, measured) +
         " lie more than half of the median apart";
}

/// Expects the points of a mechanism to be consecutive and ordered by the varied quantity. More
/// heads may be faster, since they share the channels.
std::string fallDoubt(const CostMeasurements& measured) {
  if (measured.sweep.over == CostOver::Heads) return {};
  for (std::size_t i = 1; i < measured.points.size(); ++i) {
    const CostPoint& less = measured.points[i - 1];
    const CostPoint& more = measured.points[i];
    if (less.of.mechanism != more.of.mechanism) continue;
    const bool falls = more.median < fallenShare * less.median ||
                       more.milliseconds < fallenShare * less.milliseconds;
    if (!falls) continue;
    const std::string what = " " + overName(measured.sweep.over);
    return more.of.mechanism + " took " + roundedText(less.median) + " ms for " +
           std::to_string(positionOf(less.of, measured.sweep.over)) + what + " and " +
           roundedText(more.median) + " ms for " +
           std::to_string(positionOf(more.of, measured.sweep.over)) +
           ", which cannot be of the mechanism";
  }
  return {};
}

/// Says what the mechanisms take at the largest point that all of them reached.
std::string costSentence(const CostMeasurements& measured) {
  using Size = std::tuple<int, int, int>;
  const auto sizeOf = [](const CostPoint& point) {
    return Size(point.of.tokens, point.of.channels, point.of.heads);
  };
  std::map<std::string, std::set<Size>> reached;
  for (const CostPoint& point : measured.points) reached[point.of.mechanism].insert(sizeOf(point));
  std::optional<Size> largest;
  for (const CostPoint& point : measured.points) {
    const Size size = sizeOf(point);
    const bool byAll = std::all_of(reached.begin(), reached.end(),
                                   [&](const auto& each) { return each.second.contains(size); });
    if (byAll && (!largest || size > *largest)) largest = size;
  }
  if (!largest) return {};
  Table times{{"mechanism", "median"}, {}};
  for (const CostPoint& point : measured.points) {
    if (sizeOf(point) == *largest) times.add({point.of.mechanism, point.median});
  }
  const auto [tokens, channels, heads] = *largest;
  const std::string quantity =
      "the median time in milliseconds with " + countedText(tokens, "token") + ", " +
      countedText(channels, "channel") + " and " + countedText(heads, "head");
  return comparedSentence(
      times, {.quantity = quantity.c_str(), .column = "median", .groups = "mechanism"});
}

}  // namespace

double costOf(const CostPoint& point, CostQuantity of) {
  constexpr double bytesPerMebibyte = 1 << 20;
  if (of == CostQuantity::Time) return point.median;
  return static_cast<double>(point.bytes + point.peakBytes) / bytesPerMebibyte;
}

CostLine costLine(const CostMeasurements& measured, const std::string& mechanism, CostQuantity of,
                  int from) {
  CostLine line;
  for (const CostPoint& point : measured.points) {
    const int position = positionOf(point.of, measured.sweep.over);
    if (point.of.mechanism != mechanism || position < from) continue;
    line.x.push_back(position);
    line.y.push_back(costOf(point, of));
  }
  return line;
}

std::map<int, double> timesOf(const CostMeasurements& measured, const std::string& mechanism) {
  std::map<int, double> times;
  for (const CostPoint& point : measured.points) {
    if (point.of.mechanism == mechanism) {
      times[positionOf(point.of, measured.sweep.over)] = costOf(point, CostQuantity::Time);
    }
  }
  return times;
}

CostMeasurements measureCosts(const CostSweep& sweep, const CostRunner& runner,
                              const Progress& progress, std::optional<std::int64_t> budget,
                              const CostListener& listener) {
  CostPlan plan = planCosts(sweep, budget.value_or(costMemoryBudget(sweep.device)));
  CostMeasurements measured{sweep, {}, std::move(plan.leftOut)};
  std::string outgrown;
  std::size_t done = 0;
  for (const CostRequest& request : plan.points) {
    progress.report(
        double(done) / double(plan.points.size()),
        "Measuring " + request.mechanism + ", " + std::to_string(request.tokens) + " tokens");
    ++done;
    if (request.mechanism == outgrown) continue;
    try {
      measured.points.push_back(runner(request, progress));
    } catch (const MemoryError&) {
      outgrown = request.mechanism;
      measured.leftOut.push_back(leftOutText(request, sweep.over, "there was not enough memory"));
    }
    if (listener) listener(measured, done, plan.points.size());
  }
  return measured;
}

std::vector<std::string> costDoubts(const CostMeasurements& measured) {
  std::vector<std::string> doubts;
  for (const auto doubtOf : {busyDoubt, spreadDoubt, fallDoubt}) {
    std::string doubt = doubtOf(measured);
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  }
  return doubts;
}

std::optional<double> timeExponent(const CostMeasurements& measured, const std::string& mechanism) {
  return costExponent(measured, mechanism, CostQuantity::Time);
}

std::optional<double> memoryExponent(const CostMeasurements& measured,
                                     const std::string& mechanism) {
  return costExponent(measured, mechanism, CostQuantity::Memory);
}

std::optional<double> simaCrossover(const CostMeasurements& measured) {
  const std::map<int, double> linear = timesOf(measured, productOrders().linear);
  std::optional<std::pair<double, double>> before;  // ln x, ln of quadratic over linear time
  std::optional<double> crossover;
  for (const auto& [position, time] : timesOf(measured, productOrders().quadratic)) {
    const auto other = linear.find(position);
    if (other == linear.end()) continue;
    const std::pair<double, double> here{std::log(position), std::log(time / other->second)};
    // Take the last point where the quadratic order becomes the slower one: with few tokens both
    // take almost no time and may change places more than once.
    if (before && before->second <= 0 && here.second > 0) {
      const double share = before->second / (before->second - here.second);
      crossover = std::exp(before->first + share * (here.first - before->first));
    }
    before = here;
  }
  return crossover;
}

Table costTable(const CostMeasurements& measured) {
  Table table{
      {"scope", "mechanism", "tokens", "channels", "heads", "milliseconds", "bytes", "peak_bytes",
       "pass", "device", "median", "quartile_1", "quartile_3", "runs", "cores_lost"},
      {}};
  for (const CostPoint& point : measured.points) {
    table.add({scopeName(point.of.scope), point.of.mechanism, std::int64_t{point.of.tokens},
               std::int64_t{point.of.channels}, std::int64_t{point.of.heads}, point.milliseconds,
               point.bytes, point.peakBytes, passName(point.of.pass), point.of.device, point.median,
               point.quartile1, point.quartile3, std::int64_t{point.runs},
               cellOf(point.coresLost)});
  }
  table.sentence = costSentence(measured);
  return table;
}

}  // namespace softscope
