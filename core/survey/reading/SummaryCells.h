#pragma once

#include "core/array/Table.h"
#include "core/survey/reading/MeasureSummary.h"

#include <initializer_list>
#include <vector>

namespace softscope {

/// Appends a cell for each value; empty for NaN.
void appendStatistics(std::vector<Table::Cell>& row, std::initializer_list<double> values);

/// Appends the names of a summary's columns, or its cells in the same order.
void appendSummaryColumns(std::vector<std::string>& columns);
void appendSummary(std::vector<Table::Cell>& row, const MeasureSummary& summary);

}  // namespace softscope
