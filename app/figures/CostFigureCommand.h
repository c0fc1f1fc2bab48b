#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure cost`.
int writeCostFigure(const FigureArguments& arguments);
void addCostOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
