#pragma once

#include "core/Progress.h"
#include "core/analysis/Cost.h"
#include "core/analysis/CostRunner.h"
#include "core/array/Table.h"
#include "widgets/figure/PanelFigure.h"
#include "widgets/plot/Plot.h"

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

/// Measures every point of the plan, one after another. Throws what planCosts() and `runner` do.
CostMeasurements measureCosts(const CostSweep& sweep, const CostRunner& runner,
                              const Progress& progress = {});

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

/// Time and memory against what is varied, a curve for each mechanism, exponents beside the
/// legend's names; and bars of attention with and without its softmax, where these were measured.
std::vector<Plot> costPlots(const CostMeasurements& measured);

PanelFigure costFigure(const CostMeasurements& measured);

/// `scope,mechanism,tokens,channels,heads,milliseconds,bytes,peak_bytes`
Table costTable(const CostMeasurements& measured);

}  // namespace softscope
