#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure bottleneck`.
int writeBottleneckFigure(const FigureArguments& arguments);
void addBottleneckOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
