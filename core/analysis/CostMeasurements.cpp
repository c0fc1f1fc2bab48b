#include "core/analysis/CostMeasurements.h"

#include "core/Error.h"
#include "core/linalg/PowerLaw.h"

#include <cmath>
#include <utility>

namespace softscope {
namespace {

std::optional<double> costExponent(const CostMeasurements& measured, const std::string& mechanism,
                                   CostOf of) {
  const bool tokens = measured.sweep.over == CostOver::Tokens;
  const CostLine line = costLine(measured, mechanism, of, tokens ? fittedFromTokens : 0);
  const auto law = fitPowerLaw(line.x, line.y);
  if (!law) return std::nullopt;
  return law->exponent;
}

}  // namespace

double costOf(const CostPoint& point, CostOf of) {
  constexpr double bytesPerMebibyte = 1 << 20;
  if (of == CostOf::Time) return point.milliseconds;
  return static_cast<double>(point.bytes + point.peakBytes) / bytesPerMebibyte;
}

CostLine costLine(const CostMeasurements& measured, const std::string& mechanism, CostOf of,
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
      times[positionOf(point.of, measured.sweep.over)] = point.milliseconds;
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

std::optional<double> timeExponent(const CostMeasurements& measured, const std::string& mechanism) {
  return costExponent(measured, mechanism, CostOf::Time);
}

std::optional<double> memoryExponent(const CostMeasurements& measured,
                                     const std::string& mechanism) {
  return costExponent(measured, mechanism, CostOf::Memory);
}

std::optional<double> simaCrossover(const CostMeasurements& measured) {
  const std::map<int, double> linear = timesOf(measured, productOrders().linear);
  std::optional<std::pair<double, double>> before;  // ln x, ln of quadratic over linear time
  std::optional<double> crossover;
  for (const auto& [position, time] : timesOf(measured, productOrders().quadratic)) {
    const auto other = linear.find(position);
    if (other == linear.end()) continue;
    const std::pair<double, double> here{std::log(position), std::log(time / other->second)};
    // The last place where the quadratic order becomes the slower one: at few tokens, where both
    // take next to no time, they may change places more than once.
    if (before && before->second <= 0 && here.second > 0) {
      const double share = before->second / (before->second - here.second);
      crossover = std::exp(before->first + share * (here.first - before->first));
    }
    before = here;
  }
  return crossover;
}

Table costTable(const CostMeasurements& measured) {
  Table table{{"scope", "mechanism", "tokens", "channels", "heads", "milliseconds", "bytes",
               "peak_bytes", "pass", "device"},
              {}};
  for (const CostPoint& point : measured.points) {
    table.add({scopeName(point.of.scope), point.of.mechanism, std::int64_t{point.of.tokens},
               std::int64_t{point.of.channels}, std::int64_t{point.of.heads}, point.milliseconds,
               point.bytes, point.peakBytes, passName(point.of.pass), point.of.device});
  }
  return table;
}

}  // namespace softscope
