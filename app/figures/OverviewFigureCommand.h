#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure overview`.
int writeOverviewFigure(const FigureArguments& arguments);
void addOverviewOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
