#pragma once

#include "app/arguments/FigureArguments.h"

namespace softscope {

/// `softscope figure norms`.
int writeNormsFigure(const FigureArguments& arguments);
void addNormsOptions(CLI::App& command, FigureArguments& arguments);

}  // namespace softscope
