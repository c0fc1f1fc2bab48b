#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"
#include "core/array/Table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softscope {

/// The points that were measured, and those that were left out.
struct CostMeasurements {
  CostSweep sweep;
  std::vector<CostPoint> points;
  /// One sentence for each mechanism that was left out.
  std::vector<std::string> leftOut;
};

/// A function that measures one point of a cost figure, such as measureInChildProcess(). May throw
/// Cancelled.
using CostRunner = std::function<CostPoint(const CostRequest&, const Progress&)>;

/// Called after each of `all` points with the measurements made so far.
using CostListener =
    std::function<void(const CostMeasurements& measured, std::size_t done, std::size_t all)>;

/// Measures every point of the plan, one after another, and tells `listener`. If `runner` finds no
/// memory for a mechanism (MemoryError), the mechanism's remaining points are left out. `budget` is
/// passed to planCosts(); by default it is that of the sweep's device. Also throws the errors of
/// planCosts() and `runner`.
CostMeasurements measureCosts(const CostSweep& sweep, const CostRunner& runner,
                              const Progress& progress = {},
                              std::optional<std::int64_t> budget = {},
                              const CostListener& listener = {});

/// The measured quantity.
enum class CostQuantity {
  Time,    ///< in milliseconds, the median of the runs
  Memory,  ///< everything that is held while it runs, in MiB
};
double costOf(const CostPoint& point, CostQuantity of);

/// The costs of one mechanism against the varied quantity.
struct CostLine {
  std::vector<double> x;
  std::vector<double> y;
};
/// Returns a mechanism's line through its points at `from` and beyond, in the order they were
/// measured.
CostLine costLine(const CostMeasurements& measured, const std::string& mechanism, CostQuantity of,
                  int from = 0);

/// Returns a mechanism's milliseconds, as costOf() gives them, by the varied quantity.
std::map<int, double> timesOf(const CostMeasurements& measured, const std::string& mechanism);

/// Exponents of time and memory against tokens are fitted from this number of tokens on; below it,
/// the fixed overhead of each call shows.
constexpr int fittedFromTokens = 3136;

/// Return the exponent of x in a power law fitted to the points of a mechanism; empty if there are
/// fewer than two points.
std::optional<double> timeExponent(const CostMeasurements& measured, const std::string& mechanism);
std::optional<double> memoryExponent(const CostMeasurements& measured,
                                     const std::string& mechanism);

/// Returns where the two orders of SimA's products take equally long, interpolated between measured
/// points; empty if the curves do not cross.
std::optional<double> simaCrossover(const CostMeasurements& measured);

/// Returns one sentence for each reason to doubt the times: other programs kept the machine busy,
/// the runs of a point lie far apart, or more work took less time. Returns no sentence if the times
/// give no reason for doubt.
std::vector<std::string> costDoubts(const CostMeasurements& measured);

/// Returns the table with the columns `scope,mechanism,tokens,channels,heads,milliseconds,bytes,`
/// `peak_bytes,pass,device,median,quartile_1,quartile_3,runs,cores_lost`.
Table costTable(const CostMeasurements& measured);

}  // namespace softscope
