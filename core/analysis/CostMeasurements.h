#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"
#include "core/analysis/CostRunner.h"
#include "core/array/Table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// What was measured, and what was not.
struct CostMeasurements {
  CostSweep sweep;
  std::vector<CostPoint> points;
  /// A sentence each.
  std::vector<std::string> leftOut;
};

/// What a measurement has come to: called after each of `all` points with what is there.
using CostListener =
    std::function<void(const CostMeasurements& measured, std::size_t done, std::size_t all)>;

/// Measures every point of the plan, one after another, and tells `listener`. A mechanism that
/// `runner` finds no memory for (MemoryError) is left out from there on. `budget` is that of
/// planCosts(), by default what the sweep's device has. Throws what planCosts() and `runner` do
/// otherwise.
CostMeasurements measureCosts(const CostSweep& sweep, const CostRunner& runner,
                              const Progress& progress = {},
                              std::optional<std::int64_t> budget = {},
                              const CostListener& listener = {});

/// What a point cost.
enum class CostOf {
  Time,    ///< in milliseconds, the median of the runs
  Memory,  ///< everything that is held while it runs, in MiB
};
double costOf(const CostPoint& point, CostOf of);

/// A mechanism's costs against what is varied.
struct CostLine {
  std::vector<double> x;
  std::vector<double> y;
};
/// Of the points at `from` and beyond, in their order.
CostLine costLine(const CostMeasurements& measured, const std::string& mechanism, CostOf of,
                  int from = 0);

/// Milliseconds of a mechanism by what is varied, as costOf() has them.
std::map<int, double> timesOf(const CostMeasurements& measured, const std::string& mechanism);

/// Exponents of time and memory are fitted from here on where they are against tokens: below, what
/// is set up for each call shows.
constexpr int fittedFromTokens = 3136;

/// y in x^exponent, by the points of a mechanism; nothing for fewer than two of them.
std::optional<double> timeExponent(const CostMeasurements& measured, const std::string& mechanism);
std::optional<double> memoryExponent(const CostMeasurements& measured,
                                     const std::string& mechanism);

/// Where SimA's two orders take equally long, between the measured points; nothing where they do
/// not cross.
std::optional<double> simaCrossover(const CostMeasurements& measured);

/// What makes the times doubtful, a sentence for each kind: other programs kept the machine busy,
/// runs of a point lie far apart, or more work took less time. Empty where nothing does.
std::vector<std::string> costDoubts(const CostMeasurements& measured);

/// `scope,mechanism,tokens,channels,heads,milliseconds,bytes,peak_bytes,pass,device,median,
/// quartile_1,quartile_3,runs,cores_lost`
Table costTable(const CostMeasurements& measured);

}  // namespace softscope
