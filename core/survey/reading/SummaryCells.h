#pragma once

#include "core/array/Table.h"
#include "core/survey/reading/MeasureSummary.h"

#include <initializer_list>
#include <vector>

namespace softscope {

/// A cell for each value, empty where it is NaN.
void appendStatistics(std::vector<Table::Cell>& row, std::initializer_list<double> values);

/// What summaries are called in tables, and their cells in that order.
void appendSummaryColumns(std::vector<std::string>& columns);
void appendSummary(std::vector<Table::Cell>& row, const MeasureSummary& summary);

}  // namespace softscope
