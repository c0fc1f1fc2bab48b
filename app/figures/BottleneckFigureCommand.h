#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure bottleneck`.
int drawBottleneckFigure(const FigureArguments& arguments);
void addBottleneckOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
