#include "core/survey/reading/SummaryCells.h"

#include <cmath>

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

}  // namespace softscope
