#include "core/survey/reading/MeasureSummary.h"

#include "core/Quantile.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace softscope {

void appendStatistics(std::vector<Table::Cell>& row, std::initializer_list<double> values) {
  for (const double value : values) {
    row.push_back(std::isnan(value) ? Table::Cell() : Table::Cell(value));
  }
}

void appendSummaryColumns(std::vector<std::string>& columns) {
  columns.insert(columns.end(), {"count", "mean", "deviation", "standard_error", "quartile_1",
                                 "median", "quartile_3"});
}

void appendSummary(std::vector<Table::Cell>& row, const MeasureSummary& summary) {
  row.emplace_back(summary.count);
  appendStatistics(row, {summary.mean, summary.deviation, summary.standardError, summary.quartile1,
                         summary.median, summary.quartile3});
}

void ValueSpread::add(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  // Welford's update, which loses no digits over many pictures.
  const double before = *value - mean_;
  mean_ += before / static_cast<double>(++pictures_);
  squares_ += before * (*value - mean_);
}

std::optional<double> ValueSpread::mean() const {
  if (pictures_ == 0) return std::nullopt;
  return mean_;
}

std::optional<double> ValueSpread::deviation() const {
  if (pictures_ < 2) return std::nullopt;
  return std::sqrt(squares_ / static_cast<double>(pictures_ - 1));
}

namespace {

constexpr double whiskerLength = 1.5;

/// Adds up values in the order in which they were measured, so that the same values always give the
/// same sum.
void addMoments(const std::vector<double>& values, MeasureSummary& summary) {
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  summary.mean = sum / count;
  if (values.size() < 2) return;
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.deviation = std::sqrt(squares / (count - 1));
  summary.standardError = summary.deviation / std::sqrt(count);
}

}  // namespace

MeasureSummary summarise(std::span<const double> values) {
  std::vector<double> defined;
  defined.reserve(values.size());
  std::copy_if(values.begin(), values.end(), std::back_inserter(defined),
               [](double value) { return !std::isnan(value); });
  MeasureSummary summary;
  summary.count = static_cast<std::int64_t>(defined.size());
  if (defined.empty()) return summary;
  addMoments(defined, summary);
  std::sort(defined.begin(), defined.end());
  summary.quartile1 = quantileOfSorted(defined, 0.25);
  summary.median = quantileOfSorted(defined, 0.5);
  summary.quartile3 = quantileOfSorted(defined, 0.75);
  const double reach = whiskerLength * (summary.quartile3 - summary.quartile1);
  // With few values, there may be none beyond an interpolated quartile; the whisker then ends at
  // the quartile.
  summary.lowerWhisker =
      std::min(summary.quartile1,
               *std::lower_bound(defined.begin(), defined.end(), summary.quartile1 - reach));
  summary.upperWhisker = std::max(
      summary.quartile3,
      *std::prev(std::upper_bound(defined.begin(), defined.end(), summary.quartile3 + reach)));
  return summary;
}

bool isOutlier(double value, const MeasureSummary& summary) {
  return value < summary.lowerWhisker || value > summary.upperWhisker;
}

}  // namespace softscope
