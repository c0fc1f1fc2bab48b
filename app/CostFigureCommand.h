#pragma once

#include "app/FigureArguments.h"

namespace softscope {

/// `softscope figure cost`.
int drawCostFigure(const FigureArguments& arguments);
void addCostOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
